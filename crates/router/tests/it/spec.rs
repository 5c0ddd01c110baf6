//! The grammar of specs, parameters and their ranges.

use router::{
    Capabilities, Catalog, Error, ErrorKind, Estimate, MAX_POINTS, Param, ParamKind, ParamRole,
    Params, Question, Spec, Strategy, check_points,
};

use crate::routers::{MODULO, RENDEZVOUS, RING, Rendezvous, catalog, spec};

/// A wrapper with one parameter of every kind.
static WRAPPER: Strategy = Strategy {
    name: "wrapper",
    family: "tests",
    params: &[
        Param {
            name: "base",
            role: ParamRole::Other,
            kind: ParamKind::Spec { default: "ring" },
            help: "what is wrapped",
        },
        Param {
            name: "points",
            role: ParamRole::PointsPerNode,
            kind: ParamKind::Int {
                default: 160,
                min: 4,
                max: 4000,
                multiple_of: 4,
            },
            help: "points a node",
        },
        Param {
            name: "factor",
            role: ParamRole::Capacity,
            kind: ParamKind::Float {
                default: 1.25,
                min: 1.0,
                max: 10.0,
            },
            help: "most load in fair shares",
        },
        Param {
            name: "rule",
            role: ParamRole::Other,
            kind: ParamKind::Choice(&["code", "text"]),
            help: "which rule",
        },
    ],
    suite_params: "points=8",
    capabilities: |params, catalog| match catalog.parse(params.word("base")) {
        Ok(base) => base.capabilities(),
        Err(_) => Capabilities::NONE,
    },
    build: |params, members, catalog| catalog.parse(params.word("base"))?.router(members),
    expected: |params, question| match question {
        Question::Probes { n } => Some(Estimate::exact(params.int("points") as f64 * n as f64)),
        _ => None,
    },
    ..Strategy::DEFAULT
};

fn wrappers() -> Catalog {
    Catalog::new([&WRAPPER, &RING, &MODULO, &RENDEZVOUS]).expect("their names differ")
}

#[track_caller]
fn parse(text: &str) -> Spec {
    match wrappers().parse(text) {
        Ok(spec) => spec,
        Err(err) => panic!("{text}: {err}"),
    }
}

/// Checks what a spec is called, and that this name means the same.
#[track_caller]
fn check_canonical(text: &str, canonical: &str) {
    let spec = parse(text);
    assert_eq!(spec.to_string(), canonical, "{text}");
    let again = parse(canonical);
    assert_eq!(again.params(), spec.params(), "{canonical}");
    assert_eq!(again.to_string(), canonical);
}

#[track_caller]
fn check_bad(text: &str, told: &[&str]) {
    let err = match wrappers().parse(text) {
        Ok(spec) => panic!("{text} is read as {spec}"),
        Err(err) => err,
    };
    assert_eq!(err.kind(), ErrorKind::Syntax, "{text}: {err}");
    let message = err.to_string();
    assert!(!message.contains('\n'), "{message}");
    for part in told {
        assert!(message.contains(part), "{text}: {message}");
    }
}

#[test]
fn the_canonical_spec_has_what_differs_in_declared_order() {
    check_canonical("ring", "ring");
    check_canonical("ring:vnodes=40", "ring");
    check_canonical("ring:vnodes=041", "ring:vnodes=41");
    check_canonical("wrapper:rule=text,points=8", "wrapper:points=8,rule=text");
    check_canonical("wrapper:factor=1.50", "wrapper:factor=1.5");
    check_canonical("wrapper:factor=2", "wrapper:factor=2");
    check_canonical("wrapper:factor=1.25,rule=code,base=ring", "wrapper");
}

#[test]
fn a_value_with_a_colon_or_a_comma_stands_in_brackets() {
    check_canonical(
        "wrapper:base=[ring:vnodes=3]",
        "wrapper:base=[ring:vnodes=3]",
    );
    check_canonical("wrapper:base=[modulo]", "wrapper:base=modulo");
    check_canonical(
        "wrapper:base=modulo,rule=text",
        "wrapper:base=modulo,rule=text",
    );
    check_canonical("wrapper:points=[8]", "wrapper:points=8");
    let nested = "wrapper:base=[wrapper:base=[ring:vnodes=3],points=8],factor=2";
    check_canonical(nested, nested);
    // One thing has one name, however deep it stands.
    check_canonical("wrapper:base=[ring:vnodes=40]", "wrapper");
    check_canonical(
        "wrapper:base=[wrapper:rule=text,base=[ring:vnodes=40]]",
        "wrapper:base=[wrapper:rule=text]",
    );
}

#[test]
fn brackets_must_match() {
    check_bad("wrapper:base=[ring", &["'[' without ']'"]);
    check_bad("wrapper:base=[ring:vnodes=3]]", &["']' without '['"]);
    check_bad("wrapper:base=]ring[", &["']' without '['"]);
    check_bad("wrapper:base=[wrapper:base=[ring]", &["'[' without ']'"]);
}

#[test]
fn an_unknown_name_lists_what_is_valid() {
    let all = "valid are: wrapper, ring, modulo, rendezvous";
    for text in [
        "rin",
        "Ring",
        "",
        " ring",
        "ring ",
        ":vnodes=3",
        "ring vnodes=3",
    ] {
        check_bad(text, &["unknown strategy", all]);
    }
    check_bad("wrapper:base=rin", &["unknown strategy \"rin\"", all]);
    check_bad("wrapper:base=", &["unknown strategy \"\"", all]);
}

#[test]
fn an_unknown_parameter_lists_what_is_valid() {
    check_bad(
        "ring:vnode=3",
        &[
            "ring:vnode=3",
            "unknown parameter \"vnode\"",
            "it takes: vnodes",
        ],
    );
    check_bad("ring:=3", &["unknown parameter \"\"", "it takes: vnodes"]);
    check_bad(
        "wrapper:vnodes=3",
        &["it takes: base, points, factor, rule"],
    );
    check_bad("modulo:vnodes=3", &["it takes none"]);
    check_bad(
        "wrapper:base=[ring:vnode=3]",
        &["unknown parameter \"vnode\""],
    );
}

#[test]
fn a_parameter_is_given_once_and_with_a_value() {
    check_bad("ring:vnodes=3,vnodes=3", &["\"vnodes\" is given twice"]);
    check_bad(
        "wrapper:base=[ring:vnodes=3,vnodes=4]",
        &["\"vnodes\" is given twice"],
    );
    for text in [
        "ring:",
        "ring:vnodes",
        "ring:vnodes=3,",
        "ring:,vnodes=3",
        "ring:a,b",
    ] {
        check_bad(text, &["expected param=value"]);
    }
}

#[test]
fn a_value_out_of_range_gives_the_range() {
    for value in [
        "0",
        "-1",
        "134217729",
        "4294967295",
        "9223372036854775808",
        "",
        "x",
        "1.5",
        "1e3",
    ] {
        let text = format!("ring:vnodes={value}");
        check_bad(
            &text,
            &[&text, "expected a whole number from 1 to 134217728"],
        );
    }
    for value in ["0", "2", "6", "4004"] {
        let text = format!("wrapper:points={value}");
        check_bad(&text, &["a whole number from 4 to 4000, a multiple of 4"]);
    }
    for value in ["0.9", "10.1", "-1", "NaN", "inf", "", "1,5", "one"] {
        check_bad(
            &format!("wrapper:factor=[{value}]"),
            &["a number from 1 to 10"],
        );
    }
    for value in ["", "Code", "code ", "other"] {
        check_bad(&format!("wrapper:rule={value}"), &["expected code or text"]);
    }
}

#[test]
fn too_many_points_are_refused_before_anything_is_built() {
    assert!(check_points(u128::from(MAX_POINTS)).is_ok());
    // A weight of a million at 160 points, and the largest product that there can be.
    for (points, shown) in [
        (160_000_160, "160000160"),
        (u128::MAX, "340282366920938463463374607431768211455"),
    ] {
        let err = check_points(points).expect_err("these are too many");
        assert_eq!(err.kind(), ErrorKind::TooLarge);
        assert!(err.to_string().contains(shown), "{err}");
        assert!(err.to_string().contains("134217728"), "{err}");
    }
    let spec = spec("ring:vnodes=134217728");
    let one = router::Cluster::build(&spec, &["a".into(), "b".into()]);
    let err = one.expect_err("these are 2^28 points");
    assert_eq!(err.kind(), ErrorKind::TooLarge);
    assert!(err.to_string().contains("268435456 points"), "{err}");
}

#[test]
fn one_parameter_can_be_changed() {
    let spec = parse("wrapper:rule=text");
    let with = |param: &str, value: &str| spec.with(param, value).map(|it| it.to_string());
    assert_eq!(
        with("points", "8").ok().as_deref(),
        Some("wrapper:points=8,rule=text")
    );
    assert_eq!(with("rule", "code").ok().as_deref(), Some("wrapper"));
    assert_eq!(
        with("base", "ring:vnodes=3").ok().as_deref(),
        Some("wrapper:base=[ring:vnodes=3],rule=text")
    );
    assert!(with("base", "nothing").is_err());
    assert!(with("points", "7").is_err());
    assert!(with("vnodes", "7").is_err());
}

#[test]
fn the_small_spec_keeps_the_other_parameters() {
    let small = |text: &str| parse(text).small().map(|it| it.to_string());
    assert_eq!(
        small("ring:vnodes=1000").ok().as_deref(),
        Some("ring:vnodes=3")
    );
    assert_eq!(small("modulo").ok().as_deref(), Some("modulo"));
    assert_eq!(
        small("wrapper:rule=text,base=modulo").ok().as_deref(),
        Some("wrapper:base=modulo,points=8,rule=text")
    );
    // A base has its own small form.
    assert_eq!(
        small("wrapper:base=[ring:vnodes=1000]").ok().as_deref(),
        Some("wrapper:base=[ring:vnodes=3],points=8")
    );
}

#[test]
fn parameters_are_read_by_kind() {
    let spec = parse("wrapper:base=[ring:vnodes=3],points=8,factor=1.5,rule=text");
    let params = spec.params();
    assert_eq!(params.int("points"), 8);
    assert_eq!(params.count("points"), 8);
    assert_eq!(params.float("factor"), 1.5);
    assert_eq!(params.word("rule"), "text");
    assert_eq!(params.word("base"), "ring:vnodes=3");
    let defaults = Params::defaults(WRAPPER.params);
    assert_eq!(&defaults, parse("wrapper").params());
    for (param, text) in WRAPPER.params.iter().zip(["ring", "160", "1.25", "code"]) {
        assert_eq!(param.default_text(), text);
    }
}

#[test]
fn a_wrapper_is_what_its_base_is() {
    assert_eq!(
        parse("wrapper:base=modulo").capabilities(),
        spec("modulo").capabilities()
    );
    let expected = parse("wrapper:points=8").expected(Question::Probes { n: 10 });
    assert_eq!(expected, Some(Estimate::exact(80.0)));
    assert_eq!(parse("wrapper").expected(Question::Peak { n: 10 }), None);
    let nodes = ["a".into(), "b".into(), "c".into()];
    let build = |spec: &Spec| router::Cluster::build(spec, &nodes).expect("it is legal");
    let (wrapped, base) = (
        build(&parse("wrapper:base=[ring:vnodes=3]")),
        build(&parse("ring:vnodes=3")),
    );
    for i in 0..100 {
        let key = format!("key-{i}");
        assert_eq!(wrapped.route(key.as_bytes()), base.route(key.as_bytes()));
    }
}

#[test]
fn two_strategies_of_one_name_are_refused() {
    static OTHER: Strategy = Strategy {
        family: "others",
        build: |_, _, _| Ok(Box::new(Rendezvous::default())),
        ..MODULO
    };
    let err = Catalog::new([&MODULO, &RING, &OTHER]).expect_err("two are called modulo");
    assert_eq!(err.kind(), ErrorKind::Duplicate);
    let message = err.to_string();
    for part in ["\"modulo\"", "one of tests", "one of others"] {
        assert!(message.contains(part), "{message}");
    }
    let names: Vec<&str> = catalog().strategies().iter().map(|it| it.name).collect();
    assert_eq!(names[..3], ["rendezvous", "ring", "modulo"]);
}

#[test]
fn a_strategy_that_cannot_serve_says_so() {
    static PICKY: Strategy = Strategy {
        name: "picky",
        check: |_, members, _| match members.len() {
            2 => Err(Error::new(ErrorKind::Refused, "two is company")),
            _ => Ok(()),
        },
        ..MODULO
    };
    let spec = Catalog::new([&PICKY])
        .and_then(|it| it.parse("picky"))
        .expect("it is there");
    let mut cluster = router::Cluster::build(&spec, &["a".into()]).expect("one is served");
    let err = cluster.add("b").expect_err("two are not");
    assert_eq!(
        (err.kind(), err.to_string().as_str()),
        (ErrorKind::Refused, "two is company")
    );
    assert!(!err.is_unsupported());
    assert_eq!(cluster.nodes().len(), 1);
    let three = ["b", "c"].map(|name| router::Change::Add(name.into()));
    cluster.apply(&three).expect("three are served");
    assert_eq!(cluster.nodes().len(), 3);
}
