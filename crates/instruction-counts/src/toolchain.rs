//! What instruction counts depend on beside the code: compilers, C library, valgrind. Figures of another set cannot be compared.

use std::collections::BTreeMap;
use std::process::Command;

/// What each part is, as it says itself.
pub(crate) type Toolchain = BTreeMap<String, String>;

pub(crate) fn here() -> Toolchain {
    let rustc = printed("rustc", &["-vV"]);
    let told =
        |key: &str| rustc.lines().find_map(|line| line.strip_prefix(key)).unwrap_or("unknown").to_owned();
    let parts = [
        ("rustc", format!("{} ({})", told("release: "), told("commit-hash: "))),
        ("target", told("host: ")),
        ("cc", printed("cc", &["-dumpfullversion"])),
        ("libc", printed("getconf", &["GNU_LIBC_VERSION"])),
        ("valgrind", printed("valgrind", &["--version"])),
    ];
    parts.into_iter().map(|(part, version)| (part.to_owned(), version)).collect()
}

/// What a program prints; nothing if it cannot be run.
fn printed(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default()
}

/// Where the second differs from the first, in words.
pub(crate) fn differences(made_with: &Toolchain, here: &Toolchain) -> Vec<String> {
    let parts = here.iter().filter(|(part, version)| made_with.get(*part) != Some(*version));
    let told = |(part, version): (&String, &String)| {
        let made_with = made_with.get(part).map_or("unknown", String::as_str);
        format!("{part}: the figures were made with {made_with}, here is {version}")
    };
    parts.map(told).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn toolchain(rustc: &str) -> Toolchain {
        [("rustc", rustc), ("libc", "glibc 2.36")].map(|(part, version)| (part.into(), version.into())).into()
    }

    #[test]
    fn every_part_that_differs_is_told() {
        assert_eq!(differences(&toolchain("1.95"), &toolchain("1.95")), Vec::<String>::new());
        let told = differences(&toolchain("1.95"), &toolchain("1.96"));
        assert_eq!(told, ["rustc: the figures were made with 1.95, here is 1.96"]);
        assert_eq!(differences(&Toolchain::new(), &toolchain("1.95")).len(), 2, "nothing is known of them");
    }
}
