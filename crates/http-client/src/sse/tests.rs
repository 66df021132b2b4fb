//! The rules of the format as a table, and that the pieces in which bytes come change nothing.
//! A stream that is cut off is tested with the connection, from outside.

use proptest::prelude::*;

use super::*;

fn parsed(pieces: &[&[u8]]) -> Vec<SseItem> {
    let (mut parser, mut items) = (Parser::default(), Vec::new());
    for piece in pieces {
        parser.push(piece, &mut items).unwrap();
    }
    items
}

fn event(name: &str, id: Option<&str>, data: &str) -> SseItem {
    SseItem::Event { name: name.to_owned(), id: id.map(str::to_owned), data: data.to_owned() }
}

#[test]
fn every_rule_of_the_format_is_followed() {
    let cases: &[(&str, &[SseItem])] = &[
        ("", &[]),
        ("event: a\nid: 1\ndata: x\n\n", &[event("a", Some("1"), "x")]),
        ("event: a\rid: 1\rdata: x\r\r", &[event("a", Some("1"), "x")]),
        ("event: a\r\nid: 1\r\ndata: x\r\n\r\n", &[event("a", Some("1"), "x")]),
        ("event: a\r\nid: 1\rdata: x\n\r\n", &[event("a", Some("1"), "x")]),
        ("data: first\ndata: second\ndata:\n\n", &[event("", None, "first\nsecond\n")]),
        ("data\n\n", &[event("", None, "")]),
        ("data:x\n\ndata:  y\n\n", &[event("", None, "x"), event("", None, " y")]),
        ("data: a:b\n\n", &[event("", None, "a:b")]),
        ("event: a\ndata: x\n\ndata: y\n\n", &[event("a", None, "x"), event("", None, "y")]),
        ("event: a\nevent: b\ndata: x\n\n", &[event("b", None, "x")]),
        (": keep-alive\n\n", &[]),
        (":\ndata: x\n: between\n\n", &[event("", None, "x")]),
        ("retry: 1000\n\n", &[SseItem::Retry(Duration::from_secs(1))]),
        ("retry: soon\nretry: -1\nretry:\nretry: 99999999999999999999\n\n", &[]),
        ("id: 7\n\n", &[SseItem::Id("7".to_owned())]),
        ("id: 7\n\ndata: x\n\n", &[SseItem::Id("7".to_owned()), event("", None, "x")]),
        ("id: 7\0\nid:\ndata: x\n\n", &[event("", None, "x")]),
        ("event: a\n\ndata: x\n\n", &[event("", None, "x")]),
        ("Data: x\ndatum: x\n data: x\n\n", &[]),
        ("\u{feff}data: x\n\n", &[event("", None, "x")]),
        ("data: x\n\n\u{feff}data: y\n\n", &[event("", None, "x")]),
        ("data: x\n\ndata: cut off\n", &[event("", None, "x")]),
        ("\n\n\r\r\r\n\r\n", &[]),
        ("data: \u{1f680}\n\n", &[event("", None, "\u{1f680}")]),
    ];
    for (text, items) in cases {
        assert_eq!(parsed(&[text.as_bytes()]), *items, "{text:?}");
    }
}

#[test]
fn a_line_ends_with_its_return_even_if_a_line_feed_is_still_to_come() {
    assert_eq!(parsed(&[b"data: x\r", b"\r"]), [event("", None, "x")]);
    assert_eq!(parsed(&[b"data: x\r", b"\n\r", b"\n"]), [event("", None, "x")]);
}

#[test]
fn an_event_without_end_is_given_up() {
    let (mut parser, mut items) = (Parser::default(), Vec::new());
    let piece = [b"data: ".as_slice(), &vec![b'x'; 1024 * 1024], b"\n"].concat();
    let outcome = (0..20).try_for_each(|_| parser.push(&piece, &mut items));
    assert_eq!((outcome, items), (Err(TooLarge), vec![]));
}

/// Texts that are dense in all that the rules distinguish.
fn streams() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just("\r".as_bytes().to_vec()),
        Just(b"\n".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b"data".to_vec()),
        Just(b"event: a".to_vec()),
        Just(b"id: 1".to_vec()),
        Just(b"retry: 5".to_vec()),
        Just(b":".to_vec()),
        Just(b" ".to_vec()),
        Just("\u{feff}".as_bytes().to_vec()),
        Just("é\u{1f680}".as_bytes().to_vec()),
        proptest::collection::vec(any::<u8>(), 0..4),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_split_of_the_bytes_says_the_same(
        bytes in streams(),
        cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..12),
    ) {
        let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
        cuts.extend([0, bytes.len()]);
        cuts.sort_unstable();
        let pieces: Vec<_> = cuts.windows(2).map(|cut| &bytes[cut[0]..cut[1]]).collect();
        prop_assert_eq!(parsed(&pieces), parsed(&[&bytes]));
        let single: Vec<_> = bytes.chunks(1).collect();
        prop_assert_eq!(parsed(&single), parsed(&[&bytes]));
    }
}
