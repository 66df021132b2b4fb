//! A data directory that is being filled: it becomes one that can be used when all of its files are there, and not before.
//!
//! The files are made in a folder within it. Several files cannot be moved at once, so the folder itself is the sign: as long as it
//! exists nobody opens the directory, and its removal is the moment in which the directory is complete. What a process that was
//! killed has left behind is removed by whoever fills it next.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use super::{DataDir, DataDirError, LOCK, UNFINISHED};

/// Locked as long as this is held. Dropped before it is complete it leaves an empty directory, or none if it made it.
#[derive(Debug)]
pub struct FillingDataDir {
    data_dir: DataDir,
    folder: PathBuf,
    made_directory: bool,
    is_complete: bool,
}

impl FillingDataDir {
    /// Refuses a directory that has anything in it but what an interrupted process of the same kind has left.
    pub fn begin(path: &Path) -> Result<Self, DataDirError> {
        let failed = |source| DataDirError::Io { path: path.to_owned(), source };
        let (made_directory, folder) = (!path.exists(), path.join(UNFINISHED));
        if !made_directory && !folder.exists() {
            // Before there is a lock in what may be anybody's folder.
            refuse_anything_in(path)?;
        }
        let data_dir = DataDir::lock(path)?;
        if folder.exists() {
            clear(path).map_err(failed)?;
        }
        refuse_anything_in(path)?;
        std::fs::create_dir(&folder).map_err(failed)?;
        sync(path).map_err(failed)?;
        Ok(Self { data_dir, folder, made_directory, is_complete: false })
    }

    /// Where its files are to be made.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// All files of the folder are complete and synced: they become those of the directory.
    pub fn complete(mut self) -> io::Result<()> {
        sync(&self.folder)?;
        for name in names_in(&self.folder)? {
            std::fs::rename(self.folder.join(&name), self.data_dir.file(&name))?;
        }
        sync(self.data_dir.path())?;
        std::fs::remove_dir(&self.folder)?;
        self.is_complete = true;
        sync(self.data_dir.path())
    }
}

impl Drop for FillingDataDir {
    fn drop(&mut self) {
        if self.is_complete {
            return;
        }
        let path = self.data_dir.path();
        // What cannot be removed now is removed by whoever fills it next.
        let _ = clear(path);
        if self.made_directory {
            let _ = std::fs::remove_file(path.join(LOCK));
            let _ = std::fs::remove_dir(path);
        }
    }
}

fn refuse_anything_in(path: &Path) -> Result<(), DataDirError> {
    let names = names_in(path).map_err(|source| DataDirError::Io { path: path.to_owned(), source })?;
    match names.into_iter().find(|name| name != LOCK) {
        None => Ok(()),
        Some(found) => Err(DataDirError::NotEmpty { path: path.to_owned(), found }),
    }
}

/// Removes what was made, the sign that it is unfinished last. Nobody has used the directory meanwhile, so that all databases in
/// it are of whoever was interrupted.
fn clear(path: &Path) -> io::Result<()> {
    let is_database = |name: &String| Path::new(name).extension().is_some_and(|ending| ending == "db");
    for name in names_in(path)?.into_iter().filter(is_database) {
        std::fs::remove_file(path.join(name))?;
    }
    std::fs::remove_dir_all(path.join(UNFINISHED))
}

fn names_in(path: &Path) -> io::Result<Vec<String>> {
    std::fs::read_dir(path)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}

/// What was renamed, made or removed in a directory is durable after this.
fn sync(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, name: &str) {
        std::fs::write(folder.join(name), name).unwrap();
    }

    fn names(path: &Path) -> Vec<String> {
        let mut names = names_in(path).unwrap();
        names.sort();
        names
    }

    #[test]
    fn a_directory_is_used_when_it_is_complete_and_not_before() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("data");
        let filling = FillingDataDir::begin(&path).unwrap();
        write(filling.folder(), "one.db");
        write(filling.folder(), "other.db");
        let refusal = DataDir::open(&path).unwrap_err();
        assert!(matches!(refusal, DataDirError::Held { .. }), "{refusal}");
        filling.complete().unwrap();
        assert_eq!(names(&path), ["lock", "one.db", "other.db"]);
        DataDir::open(&path).unwrap();
    }

    #[test]
    fn what_is_given_up_leaves_nothing() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("data");
        let filling = FillingDataDir::begin(&path).unwrap();
        write(filling.folder(), "one.db");
        drop(filling);
        assert!(!path.exists());
        std::fs::create_dir(&path).unwrap();
        drop(FillingDataDir::begin(&path).unwrap());
        assert_eq!(names(&path), ["lock"], "a directory that was there stays");
    }

    #[test]
    fn whatever_instant_it_is_interrupted_at_it_is_not_used_and_can_be_repeated() {
        // A process that is killed runs no destructors: its folder stays, and some files may have been moved.
        for moved in 0..=2 {
            let home = tempfile::tempdir().unwrap();
            let path = home.path().join("data");
            std::fs::create_dir_all(path.join(UNFINISHED)).unwrap();
            for (number, name) in ["one.db", "other.db"].into_iter().enumerate() {
                write(&if number < moved { path.clone() } else { path.join(UNFINISHED) }, name);
            }
            let refusal = DataDir::open(&path).unwrap_err();
            assert!(matches!(refusal, DataDirError::Unfinished { .. }), "{refusal}");
            let filling = FillingDataDir::begin(&path).unwrap();
            assert_eq!(names(&path), [UNFINISHED, LOCK]);
            write(filling.folder(), "third.db");
            filling.complete().unwrap();
            assert_eq!(names(&path), ["lock", "third.db"]);
        }
    }

    #[test]
    fn a_directory_with_anything_in_it_is_refused_and_not_touched() {
        let home = tempfile::tempdir().unwrap();
        write(home.path(), "game.db");
        let refusal = FillingDataDir::begin(home.path()).unwrap_err().to_string();
        assert!(refusal.contains("game.db") && refusal.contains("not empty"), "{refusal}");
        assert_eq!(names(home.path()), ["game.db"]);

        let path = home.path().join("data");
        std::fs::create_dir_all(path.join(UNFINISHED)).unwrap();
        write(&path, "notes.txt");
        let refusal = FillingDataDir::begin(&path).unwrap_err().to_string();
        assert!(refusal.contains("notes.txt"), "{refusal}");
        assert_eq!(names(&path), ["lock", "notes.txt"]);
    }
}
