//! Node files and key files: what is read from them, and what is refused with which words.

use std::{
    fs,
    path::{Path, PathBuf},
};

use bench_harness::workload::{KeyReader, MAX_NODE_FILE, read_keys, read_nodes};
use router::{KeyBuf, NodeSpec};
use tempfile::TempDir;

fn written(bytes: &[u8]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("there is room for a file");
    let path = folder.path().join("list.txt");
    fs::write(&path, bytes).expect("there is room for a file");
    (folder, path)
}

#[track_caller]
fn check_nodes(bytes: &[u8], expected: &[(&str, u32)]) {
    let (_folder, path) = written(bytes);
    let expected: Vec<NodeSpec> = expected
        .iter()
        .map(|&(name, weight)| NodeSpec::new(name, weight))
        .collect();
    assert_eq!(read_nodes(&path), Ok(expected));
}

#[track_caller]
fn check_nodes_refused(bytes: &[u8], expected: &str) {
    let (_folder, path) = written(bytes);
    let err = read_nodes(&path).unwrap_err().to_string();
    assert_eq!(err, format!("{}{expected}", path.display()));
}

#[track_caller]
fn check_keys(bytes: &[u8], expected: &[&[u8]], warning: Option<&str>) {
    let (_folder, path) = written(bytes);
    let (keys, warned) = read_keys(&path).unwrap();
    assert!(keys.keys().iter().eq(expected.iter().copied()), "{keys:?}");
    let warning = warning.map(|it| {
        format!(
            "warning: {}{it} is kept as part of the key, as every byte but LF is",
            path.display()
        )
    });
    assert_eq!(warned, warning);
}

#[test]
fn line_ends_and_comments_do_not_matter_to_nodes() {
    let two = [("foo", 1), ("bar", 1)];
    check_nodes(b"foo\nbar\n", &two);
    check_nodes(b"foo\nbar", &two);
    check_nodes(b"foo\r\nbar\r\n", &two);
    check_nodes(b"foo\r\nbar\r", &two);
    check_nodes(b"\xef\xbb\xbffoo\nbar\n", &two);
    check_nodes(b"\xef\xbb\xbf# two\n\nfoo\n\r\n#bar\nbar\n\n", &two);
    check_nodes(b"", &[]);
    check_nodes(b"\n\r\n# nobody\n", &[]);
}

#[test]
fn names_are_kept_verbatim() {
    check_nodes(
        "2001:db8::1\n[2001:db8::1]:11211\n[2001:db8::1]:11211:3\n::1\n10.0.0.1:11211:2\n\
         /run/mc.sock:1\nhost:99999\n[::1\n a, b \na=1\ncaf\u{e9}\ncafe\u{301}\nFoo\nfoo\n-x\n"
            .as_bytes(),
        &[
            ("2001:db8::1", 1),
            ("[2001:db8::1]:11211", 1),
            ("[2001:db8::1]:11211:3", 1),
            ("::1", 1),
            ("10.0.0.1:11211:2", 1),
            ("/run/mc.sock:1", 1),
            ("host:99999", 1),
            ("[::1", 1),
            (" a, b ", 1),
            ("a=1", 1),
            ("caf\u{e9}", 1),
            ("cafe\u{301}", 1),
            ("Foo", 1),
            ("foo", 1),
            ("-x", 1),
        ],
    );
}

#[test]
fn weights_stand_behind_a_tab() {
    check_nodes(
        b"a\t0\nb\t4294967295\r\nc d\t007\n",
        &[("a", 0), ("b", u32::MAX), ("c d", 7)],
    );
    for weight in [
        "-300",
        "0.5",
        "abc",
        "1e3",
        "",
        "4294967296",
        "NaN",
        "+1",
        " 1",
        "1\t1",
    ] {
        check_nodes_refused(
            format!("b\t200\na\t{weight}\n").as_bytes(),
            &format!(
                ":2: node \"a\": expected a weight from 0 to 4294967295, a whole number, found {weight:?}"
            ),
        );
    }
}

#[test]
fn names_that_cannot_be_are_refused_with_their_line() {
    check_nodes_refused(b"a\n\t3\n", ":2: node name \"\" is empty");
    check_nodes_refused(
        b"a\nb\0\n",
        ":2: node name \"b\\0\" has a control character",
    );
    check_nodes_refused(
        b"a\nb\rc\n",
        ":2: node name \"b\\rc\" has a control character",
    );
    let long = format!("{}\n", "x".repeat(256));
    check_nodes_refused(
        long.as_bytes(),
        &format!(
            ":1: node name \"{}...\" is longer than 255 bytes",
            "x".repeat(40)
        ),
    );
    check_nodes_refused(
        b"# ok\na\n\x7fELF\x80\n",
        ":3: expected name or name<TAB>weight in UTF-8, found other bytes",
    );
}

#[test]
fn a_node_may_stand_there_once() {
    check_nodes_refused(b"a\n\nb\na\n", ":4: node \"a\" is there already, on line 1");
    check_nodes_refused(
        b"a\t1\na\t2\n",
        ":2: node \"a\" is there already, on line 1",
    );
    check_nodes(b"a\na \n", &[("a", 1), ("a ", 1)]);
}

#[test]
fn a_node_file_of_any_size_is_refused_in_time() {
    let (_folder, path) = written(b"a\n");
    let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.set_len(MAX_NODE_FILE + 1).unwrap();
    let err = read_nodes(&path).unwrap_err().to_string();
    assert!(
        err.ends_with("list.txt: expected a node file of at most 64 MiB, found more"),
        "{err}"
    );
}

#[test]
fn what_is_no_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing");
    #[track_caller]
    fn check(path: &Path, expected: &str) {
        let errors = [read_nodes(path).unwrap_err(), read_keys(path).unwrap_err()];
        for err in errors {
            assert_eq!(err.to_string(), format!("{}: {expected}", path.display()));
        }
    }
    check(folder.path(), "expected a file, found a directory");
    let not_found = fs::File::open(&missing).unwrap_err().to_string();
    check(&missing, &not_found);
}

#[test]
fn a_key_is_a_line_whatever_its_bytes() {
    check_keys(b"foo\nbar\n", &[b"foo", b"bar"], None);
    check_keys(b"foo\nbar", &[b"foo", b"bar"], None);
    check_keys(b"", &[], None);
    check_keys(b"\n", &[b""], None);
    check_keys(b"a\n\nb\n\n", &[b"a", b"", b"b", b""], None);
    check_keys(
        b"# no comment\n a\tb \n",
        &[b"# no comment", b" a\tb "],
        None,
    );
    check_keys(b"\0\n\xff\xfe\n", &[b"\0", b"\xff\xfe"], None);
    let long = vec![b'x'; 1 << 20];
    check_keys(&long, &[&long], None);
}

#[test]
fn bytes_that_nobody_sees_are_kept_with_a_warning() {
    check_keys(b"foo\r\nbar\r\n", &[b"foo\r", b"bar\r"], Some(":1: the CR"));
    check_keys(b"a\nfoo\rbar", &[b"a", b"foo\rbar"], Some(":2: the CR"));
    check_keys(
        b"\xef\xbb\xbffoo\r\n",
        &[b"\xef\xbb\xbffoo\r"],
        Some(":1: the byte order mark"),
    );
    check_keys(b"a\n\xef\xbb\xbfb\n", &[b"a", b"\xef\xbb\xbfb"], None);
}

#[test]
fn keys_read_in_pieces_are_those_read_at_once() {
    let lines: Vec<String> = (0..1000).map(|i| "k".repeat(i % 50)).collect();
    let (_folder, path) = written(lines.join("\n").as_bytes());
    let mut reader = KeyReader::open(&path).unwrap();
    let mut keys = KeyBuf::new();
    let mut pieces = Vec::new();
    loop {
        let n = reader.read(&mut keys, 300).unwrap();
        if n == 0 {
            break;
        }
        pieces.push(n);
    }
    assert_eq!(pieces, [300, 300, 300, 100]);
    assert!(keys.keys().iter().eq(lines.iter().map(String::as_bytes)));
}

#[test]
fn a_piece_of_long_keys_stays_small() {
    let line = [&[b'x'; 1 << 20][..], b"\n"].concat();
    let (_folder, path) = written(&line.repeat(12));
    let mut reader = KeyReader::open(&path).unwrap();
    let mut keys = KeyBuf::new();
    // Eight of these are a little more than 8 MiB, for each has its LF.
    assert_eq!(reader.read(&mut keys, 1000).unwrap(), 8);
    assert_eq!(reader.read(&mut keys, 1000).unwrap(), 4);
}

#[test]
fn a_key_without_end_is_refused() {
    let (_folder, path) = written(b"a\nb\n");
    let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
    file.set_len((64 << 20) + 5).unwrap();
    let err = read_keys(&path).unwrap_err().to_string();
    let expected = "list.txt:3: expected a key of at most 64 MiB, found a longer line";
    assert!(err.ends_with(expected), "{err}");
}
