//! The `Link` header (RFC 8288) as far as lists use it: where the next page is.
//! The services name it as a path on their own address.

use http::{HeaderMap, header};

/// The path of the next page; none on the last one.
pub(super) fn next_page(headers: &HeaderMap) -> Option<String> {
    let links = headers.get_all(header::LINK).iter().filter_map(|value| value.to_str().ok());
    let mut links = links.flat_map(|value| value.split(", "));
    links.find_map(|link| {
        let (path, parameters) = link.trim().strip_prefix('<')?.split_once('>')?;
        let is_next = parameters.split(';').any(|parameter| parameter.trim() == "rel=\"next\"");
        (is_next && path.starts_with('/')).then(|| path.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_page_is_found_among_the_links() {
        let cases = [
            (r#"</games?limit=2&after=x>; rel="next""#, Some("/games?limit=2&after=x")),
            (r#"</planets?page=1>; rel="prev", </planets?page=3>; rel="next""#, Some("/planets?page=3")),
            (r#"</planets?page=1>; rel="prev""#, None),
            (r#"<http://elsewhere/games>; rel="next""#, None),
            ("nonsense", None),
        ];
        for (text, path) in cases {
            let headers = HeaderMap::from_iter([(header::LINK, text.parse().unwrap())]);
            assert_eq!(next_page(&headers).as_deref(), path, "{text}");
        }
        assert_eq!(next_page(&HeaderMap::new()), None);
    }
}
