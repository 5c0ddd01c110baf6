//! Changes as the command line gives them.

use router::{Change, ErrorKind, NodeSpec};

fn add(name: &str, weight: u32) -> Change {
    Change::Add(NodeSpec::new(name, weight))
}

fn set(name: &str, weight: u32) -> Change {
    Change::SetWeight(NodeSpec::new(name, weight))
}

fn remove(name: &str) -> Change {
    Change::Remove(name.to_owned())
}

fn replace(old: &str, new: &str) -> Change {
    Change::Replace {
        old: old.to_owned(),
        new: new.to_owned(),
    }
}

#[track_caller]
fn check(text: &str, change: Change) {
    match text.parse::<Change>() {
        Ok(parsed) => assert_eq!(parsed, change, "{text:?}"),
        Err(err) => panic!("{text:?}: {err}"),
    }
}

#[track_caller]
fn check_bad(text: &str, kind: ErrorKind, told: &str) {
    let err = text.parse::<Change>().expect_err("it is no change");
    assert_eq!(err.kind(), kind, "{text:?}: {err}");
    let message = err.to_string();
    assert!(
        message.starts_with("change ") && message.contains(told),
        "{text:?}: {message}"
    );
    assert!(!message.contains('\n'), "{message:?}");
}

#[test]
fn the_first_character_decides() {
    check("+a", add("a", 1));
    check("+a=3", add("a", 3));
    check("+a=0", add("a", 0));
    check("+a=4294967295", add("a", u32::MAX));
    check("-a", remove("a"));
    check("=a=2", set("a", 2));
    check("~a\tb", replace("a", "b"));
    check("++a", add("+a", 1));
    check("+-a", add("-a", 1));
    check("--a", remove("-a"));
    check("~~a\t=b", replace("~a", "=b"));
}

#[test]
fn a_name_with_an_equals_sign_is_given_with_its_weight() {
    check("+a=b=1", add("a=b", 1));
    check("=a=b=7", set("a=b", 7));
    check("+==1", add("=", 1));
    check("===1", set("=", 1));
    // Behind a minus all is name.
    check("-a=b", remove("a=b"));
    check("-x=1", remove("x=1"));
    check("~a=b\tc=1", replace("a=b", "c=1"));
    check_bad("+a=b", ErrorKind::Syntax, "weight");
    check_bad("=a", ErrorKind::Syntax, "=name=weight");
}

#[test]
fn names_are_kept_byte_for_byte() {
    check("+ a ", add(" a ", 1));
    check("+[2001:db8::1]:11211", add("[2001:db8::1]:11211", 1));
    check("-caf\u{e9}", remove("caf\u{e9}"));
    check("~a b\tc d", replace("a b", "c d"));
}

#[test]
fn anything_else_is_an_error() {
    for text in ["", "a", " +a", "a=1", "*a", "\u{2212}a", "\t"] {
        check_bad(text, ErrorKind::Syntax, "expected +name");
    }
    for weight in [
        "",
        "-1",
        "+1",
        "1e3",
        "1.0",
        "NaN",
        " 1",
        "4294967296",
        "99999999999999999999",
    ] {
        check_bad(&format!("+a={weight}"), ErrorKind::Syntax, "4294967295");
        check_bad(&format!("=a={weight}"), ErrorKind::Syntax, "4294967295");
    }
    check_bad("~a", ErrorKind::Syntax, "~old<TAB>new");
    check_bad("~a b", ErrorKind::Syntax, "~old<TAB>new");
    for text in ["+", "-", "+=1", "==1", "~\tb", "~a\t"] {
        check_bad(text, ErrorKind::Name, "is empty");
    }
    for text in ["+a\n", "-a\tb", "=a\u{1}=1", "~a\tb\tc", "~a\tb\r"] {
        check_bad(text, ErrorKind::Name, "control character");
    }
    check_bad(
        &format!("+{}", "n".repeat(256)),
        ErrorKind::Name,
        "longer than 255 bytes",
    );
}
