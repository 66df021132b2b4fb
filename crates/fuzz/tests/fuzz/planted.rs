//! Targets with a fault in them: it is found, made small, and told in a sentence.

use starkeep_fuzz::{Dictionary, Found, Fuzzer, SEPARATOR, Subject, Target, Verdict, try_alone};

fn found_in(target: &Target, corpus: &[&str], seed: u64) -> Found {
    let mut fuzzer = Fuzzer::new(target, corpus.iter().map(|input| input.as_bytes().to_vec()), seed);
    let found = fuzzer.try_known().and_then(|()| (0..20_000).try_for_each(|_| fuzzer.try_next()));
    found.expect_err("the fault is found")
}

/// Takes for granted that an amount can be doubled.
struct Doubles;

impl Subject for Doubles {
    fn judge(&mut self, input: &[u8]) -> Verdict {
        let value: serde_json::Value = serde_json::from_slice(input).map_err(|_| ()).unwrap_or_default();
        let Some(amount) = value["order"]["amount"].as_u64() else { return Ok("refused".to_owned()) };
        let doubled = amount.checked_mul(2).expect("no amount is that large");
        Ok(if doubled > 100 { "many" } else { "few" }.to_owned())
    }
}

#[test]
fn a_panic_is_found_and_its_input_made_small() {
    let target = Target { name: "doubles", about: "", open: || Box::new(Doubles) };
    let corpus = [r#"{"order":{"amount":1,"note":"as usual","more":[1,2,3]},"by":"ada"}"#];
    for seed in 0..3 {
        let Found { fault, input } = found_in(&target, &corpus, seed);
        assert!(fault.contains("no amount is that large"), "{fault}");
        let text = String::from_utf8(input.clone()).unwrap();
        assert!(text.starts_with(r#"{"order":{"amount":"#) && text.len() <= 42, "{text}");
        assert!(try_alone(&target, &input).is_err());
    }
}

/// Does not expect a header that it has seen before.
struct Remembers {
    has_seen: bool,
}

impl Subject for Remembers {
    fn judge(&mut self, input: &[u8]) -> Verdict {
        let is_key = input.starts_with(b"Key");
        if is_key && self.has_seen {
            return Err("the same key is taken twice".to_owned());
        }
        self.has_seen |= is_key;
        Ok(is_key.to_string())
    }

    fn dictionary(&self) -> Dictionary {
        Dictionary { words: vec![b"Key".to_vec()], lines: Vec::new() }
    }
}

#[test]
fn a_fault_that_needs_several_inputs_is_found_with_all_of_them() {
    let target = Target { name: "remembers", about: "", open: || Box::new(Remembers { has_seen: false }) };
    let Found { fault, input } = found_in(&target, &["Word one", "Word two"], 1);
    assert_eq!(fault, "the same key is taken twice");
    assert_eq!(input, [b"Key", SEPARATOR, b"Key"].concat());
}

/// Goes wrong once, whatever the input is.
struct Whim;

impl Subject for Whim {
    fn judge(&mut self, _: &[u8]) -> Verdict {
        use std::sync::atomic::{AtomicU64, Ordering};
        static CALLS: AtomicU64 = AtomicU64::new(0);
        if CALLS.fetch_add(1, Ordering::Relaxed) == 10 { Err("a whim".to_owned()) } else { Ok(String::new()) }
    }
}

#[test]
fn a_fault_that_does_not_come_again_is_told_all_the_same() {
    let target = Target { name: "whim", about: "", open: || Box::new(Whim) };
    let Found { fault, .. } = found_in(&target, &["x"], 1);
    assert!(fault.starts_with("a whim (not again"), "{fault}");
}

/// Somebody catches the panic, and answers as if nothing had been.
struct Swallows;

impl Subject for Swallows {
    fn judge(&mut self, input: &[u8]) -> Verdict {
        let caught = std::panic::catch_unwind(|| assert!(input.len() < 3, "too long"));
        Ok(caught.is_ok().to_string())
    }
}

#[test]
fn a_panic_that_somebody_else_has_caught_is_a_fault() {
    let target = Target { name: "swallows", about: "", open: || Box::new(Swallows) };
    assert!(try_alone(&target, b"ab").is_ok());
    let fault = try_alone(&target, b"abc").unwrap_err();
    assert!(fault.contains("no sign of it") && fault.contains("too long"), "{fault}");
}
