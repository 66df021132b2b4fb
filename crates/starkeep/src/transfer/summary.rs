//! What is printed when a file is written, or a place is filled with one: a few lines for people, or a document for programs.

use std::path::Path;

use serde_json::{Map, Value, json};
use starkeep_transfer::Manifest;

pub(super) struct Written<'a> {
    pub(super) manifest: &'a Manifest,
    pub(super) place: &'a str,
    pub(super) file: &'a Path,
}

impl Written<'_> {
    pub(super) fn as_text(&self) -> String {
        format!(
            "wrote {} from {} to {}, {}",
            what(self.manifest),
            self.place,
            self.file.display(),
            size(self.bytes())
        )
    }

    pub(super) fn as_json(&self) -> String {
        let mut document = described(self.manifest, self.file);
        document["from"] = self.place.into();
        document["bytes"] = self.bytes().into();
        document.to_string()
    }

    fn bytes(&self) -> u64 {
        self.file.metadata().map_or(0, |found| found.len())
    }
}

pub(super) struct Filled<'a> {
    pub(super) manifest: &'a Manifest,
    pub(super) place: &'a str,
    pub(super) file: &'a Path,
    /// What was done, in a word.
    pub(super) done: &'a str,
    /// Whether its event logs have new epochs.
    pub(super) is_copy: bool,
    pub(super) remarks: Vec<String>,
}

impl Filled<'_> {
    pub(super) fn as_text(&self) -> String {
        let Self { manifest, place, file, done, .. } = self;
        let mut lines = vec![format!("{done} {} from {} into {place}", what(manifest), file.display())];
        if self.is_copy {
            let at = manifest.at;
            lines.push(format!(
                "it is as it was at {at}; clients that resume event streams are told of a gap, and get everything that is kept"
            ));
        }
        lines.extend(self.remarks.iter().map(|remark| format!("note: {remark}")));
        lines.join("\n")
    }

    pub(super) fn as_json(&self) -> String {
        let mut document = described(self.manifest, self.file);
        document["into"] = self.place.into();
        document["newEpochs"] = self.is_copy.into();
        document["remarks"] = json!(self.remarks);
        document.to_string()
    }
}

/// Rows and services.
fn what(manifest: &Manifest) -> String {
    let names: Vec<_> = manifest.services.iter().map(|service| &*service.name).collect();
    format!("{} rows of {}", manifest.rows(), names.join(", "))
}

fn described(manifest: &Manifest, file: &Path) -> Value {
    let services = manifest.services.iter().map(|service| {
        let rows: u64 = service.tables.iter().map(|table| table.rows).sum();
        (service.name.clone(), json!({ "schema": service.schema, "rows": rows }))
    });
    let services: Map<String, Value> = services.collect();
    json!({
        "file": file, "kind": manifest.kind, "program": manifest.program, "at": manifest.at, "rows": manifest.rows(),
        "services": services,
    })
}

fn size(bytes: u64) -> String {
    match bytes {
        0..100_000 => format!("{} kB", bytes.div_ceil(1000)),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes / 100_000 % 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_for_people() {
        let sizes = [(1, "1 kB"), (99_999, "100 kB"), (1_250_000, "1.2 MB"), (12_000_000_000, "12000.0 MB")];
        for (bytes, text) in sizes {
            assert_eq!(size(bytes), text);
        }
    }
}
