//! Keys in one buffer.

use router::{KeyBuf, Keys};

fn list(keys: Keys<'_>) -> Vec<Vec<u8>> {
    keys.iter().map(<[u8]>::to_vec).collect()
}

#[test]
fn keys_are_kept_in_order_with_all_their_bytes() {
    let wanted: [&[u8]; 5] = [b"a", b"", b"\0\xff", b"a", b"long key"];
    let mut buf = KeyBuf::new();
    assert!(buf.is_empty() && buf.keys().is_empty());
    for (i, key) in wanted.iter().enumerate() {
        buf.push(key);
        assert_eq!((buf.len(), buf.keys().len()), (i + 1, i + 1));
    }
    let keys = buf.keys();
    assert_eq!(list(keys), wanted);
    assert_eq!(keys.iter().len(), 5);
    for (i, key) in wanted.iter().enumerate() {
        assert_eq!(keys.get(i), *key);
    }
    let collected: KeyBuf = wanted.iter().collect();
    assert_eq!(list(collected.keys()), wanted);
}

#[test]
fn a_slice_is_a_list_of_its_own() {
    let buf: KeyBuf = ["a", "bc", "", "def"].into_iter().collect();
    let slice = buf.keys().slice(1..3);
    assert_eq!(list(slice), [b"bc".to_vec(), b"".to_vec()]);
    assert_eq!((slice.len(), slice.get(0)), (2, &b"bc"[..]));
    assert_eq!(list(slice.slice(1..2)), [b""]);
    assert!(buf.keys().slice(4..4).is_empty());
    assert!(buf.keys().slice(0..0).is_empty());
}

#[test]
fn a_cleared_buffer_is_empty_and_fills_again() {
    let mut buf: KeyBuf = ["a", "b"].into_iter().collect();
    buf.clear();
    assert!(buf.is_empty());
    assert_eq!(buf.keys().iter().next(), None);
    buf.push(b"c");
    assert_eq!(list(buf.keys()), [b"c"]);
}
