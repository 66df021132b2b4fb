//! Code in the pages is code of the examples, line by line: `<!-- lines of FILE -->` stands above each block of it.
//! The examples are run by `example_bots`, so what the pages show works.

use std::process::Command;

use crate::fences::{Fence, fences, pages, read, root};

/// Blocks in these languages are code.
const LANGUAGES: [&str; 4] = ["python", "py", "rust", "rs"];

fn is_code(fence: &Fence) -> bool {
    LANGUAGES.contains(&fence.language.as_str())
}

/// Are these lines of the file, one after the other?
fn is_part_of(text: &str, file: &str) -> bool {
    format!("\n{file}").contains(&format!("\n{text}"))
}

#[test]
fn code_in_the_pages_is_that_of_the_examples() {
    let mut shown = 0;
    for page in pages() {
        for fence in fences(&read(&page)).into_iter().filter(is_code) {
            let mark = fence.mark.unwrap_or_default();
            let file = mark.strip_prefix("lines of ");
            let file =
                file.unwrap_or_else(|| panic!("{page}: no `<!-- lines of FILE -->` above\n{}", fence.text));
            let example = std::fs::read_to_string(root().join(file)).unwrap();
            assert!(
                is_part_of(&fence.text, &example),
                "{page}: these are not lines of {file}:\n{}",
                fence.text
            );
            shown += 1;
        }
    }
    assert!(shown > 5, "the pages show {shown} pieces of code");
}

#[test]
fn a_part_is_whole_lines() {
    assert!(is_part_of("a\nb\n", "a\nb\nc\n") && is_part_of("b\nc\n", "a\nb\nc\n"));
    assert!(!is_part_of("b\n", "ab\n") && !is_part_of("a\nc\n", "a\nb\nc\n") && !is_part_of("b\n", "bc\n"));
}

#[test]
fn the_first_bot_has_fifty_lines() {
    // Python itself says which lines hold code; the texts that explain a function are comments.
    let count = r"
import ast, io, sys, tokenize
source = open(sys.argv[1]).read()
texts = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)]
comments = {line for text in texts for line in range(text.lineno, text.end_lineno + 1)}
silent = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
tokens = [token for token in tokenize.generate_tokens(io.StringIO(source).readline) if token.type not in silent]
print(len({line for token in tokens for line in range(token.start[0], token.end[0] + 1)} - comments))
";
    let bot = root().join("examples/first_bot.py");
    let output = Command::new("python3").args(["-c", count]).arg(bot).output().unwrap();
    let lines: u32 = String::from_utf8(output.stdout).unwrap().trim().parse().unwrap();
    assert!((30..=50).contains(&lines), "{lines} lines");
}
