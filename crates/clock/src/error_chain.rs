//! An error in words, with everything that led to it.
//! Who is told, and whether the words may leave the machine, is the caller's decision.

/// An error with its causes: the outermost alone says only that something failed.
pub fn error_chain(fault: &dyn std::error::Error) -> String {
    let mut text = fault.to_string();
    let mut source = fault.source();
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}
