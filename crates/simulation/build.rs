//! Links the command with random bits that are the same in every run.

fn main() {
    println!("cargo::rerun-if-changed=src/same_random.c");
    for object in cc::Build::new().file("src/same_random.c").compile_intermediates() {
        println!("cargo::rustc-link-arg-bins={}", object.display());
    }
}
