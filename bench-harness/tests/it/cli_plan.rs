//! `plan`: the books of a change, against `route` before and after it and against pencil and paper.

use std::{collections::BTreeMap, fs, io::Write as _, process::Output};

use crate::cli::{Files, check_refused, command, complaints, printed, run_with_input};

impl Files {
    /// Runs `plan` over the files `nodes`, `keys` and, where there is one, `after`.
    fn plan(&self, specs: &[&str], more: &[&str]) -> Output {
        self.plan_with(specs, more, &[])
    }

    fn plan_with(&self, specs: &[&str], more: &[&str], environment: &[(&str, &str)]) -> Output {
        let mut command = command(["plan"]);
        for spec in specs {
            command.args(["--strategy", spec]);
        }
        command.arg("--before").arg(self.path("nodes"));
        if self.path("after").exists() {
            command.arg("--after").arg(self.path("after"));
        }
        command.arg("--keys").arg(self.path("keys")).args(more);
        command.envs(environment.iter().copied());
        command.output().expect("the program starts")
    }

    /// What `plan` prints as CSV: amount and value by strategy, step, quantity, metric, from and to.
    #[track_caller]
    fn rows(&self, specs: &[&str], more: &[&str]) -> Rows {
        let more = [&["--format", "csv"], more].concat();
        read_rows(&printed(&self.plan(specs, &more)))
    }

    /// The owners that `route` prints.
    fn owners(&self, spec: &str, nodes: &str, more: &[&str]) -> Vec<String> {
        let mut command = command(["route", "--strategy", spec, "--nodes"]);
        command
            .arg(self.path(nodes))
            .arg("--keys")
            .arg(self.path("keys"));
        let output = command.args(more).output().expect("the program starts");
        let owner = |line: &str| line.rsplit('\t').next().unwrap().to_owned();
        printed(&output).lines().map(owner).collect()
    }
}

type Rows = BTreeMap<String, (Option<u128>, Option<f64>)>;

fn read_rows(text: &str) -> Rows {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows = reader.records().map(|row| {
        let row = row.expect("it is CSV");
        let key: Vec<&str> = [0, 1, 3, 4, 5, 6].map(|i| &row[i]).to_vec();
        (key.join(" "), (row[7].parse().ok(), row[8].parse().ok()))
    });
    rows.collect()
}

/// Keys enough for several batches.
fn many_keys() -> String {
    (0..70_000).map(|i| format!("user:{i}\n")).collect()
}

const BEFORE: &str = "10.0.0.1:1\n10.0.0.2:1\n10.0.0.3:1\n10.0.0.4:1\n10.0.0.5:1\n";
const AFTER: &str = "10.0.0.6:1\n10.0.0.1:1\n10.0.0.2:1\n10.0.0.4:1\n10.0.0.5:1\n10.0.0.7:1\n";

/// Checks moves, loads and the shares of a plan against the owners before and after.
#[track_caller]
fn check_owners(rows: &Rows, spec: &str, before: &[String], after: &[String]) {
    let mut expected: BTreeMap<String, u128> = BTreeMap::new();
    let mut count = |metric: &str, from: &str, to: &str| {
        let key = format!("{spec}  keys {metric} {from} {to}");
        *expected.entry(key).or_default() += 1;
    };
    for (old, new) in before.iter().zip(after) {
        count("total", "", "");
        count("load_before", old, "");
        count("load_after", "", new);
        if old != new {
            count("moved", "", "");
            count("flow", old, new);
        }
    }
    for (key, amount) in &expected {
        assert_eq!(rows.get(key).and_then(|it| it.0), Some(*amount), "{key}");
    }
    let flows = |key: &&String| key.starts_with(&format!("{spec}  keys flow "));
    let n_flows = rows.keys().filter(flows).count();
    assert_eq!(n_flows, expected.keys().filter(flows).count());
    assert_eq!(before.len(), after.len());
    assert!(before.iter().zip(after).any(|(old, new)| old != new));
}

#[test]
fn owners_are_those_of_route() {
    let files = Files::with(BEFORE, many_keys());
    files.write("after", AFTER);
    let specs = ["ketama", "modulo", "vec-ring:vnodes=20", "maglev", "jump"];
    let rows = files.rows(&specs, &[]);
    for spec in specs {
        let before = files.owners(spec, "nodes", &[]);
        let after = files.owners(spec, "after", &[]);
        check_owners(&rows, spec, &before, &after);
    }
    fs::remove_file(files.path("after")).unwrap();
    let changes = [
        "--change=-10.0.0.3:1",
        "--change",
        "+x",
        "--change",
        "~x\ty",
    ];
    // One that remembers what was before, and one that knows load.
    let specs = ["anchor", "bounded-load", "btree-ring"];
    let rows = files.rows(&specs, &changes);
    for spec in specs {
        let before = files.owners(spec, "nodes", &[]);
        let after = files.owners(spec, "nodes", &changes);
        check_owners(&rows, spec, &before, &after);
    }
}

#[test]
fn pencil_and_paper() {
    // a alone serves, then b alone: who has no weight owns nothing.
    let rows = "id,kB,note,reads\nx,5,\"a, b\",1\n\"y\",7,,0\n,30,,9\n";
    let files = Files::with("a\t1\nb\t0\n", rows);
    let columns = ["--key", "id", "--bytes", "kB", "--hits", "reads"];
    let changes = ["--change", "=b=1", "--change", "=a=0", "--steps"];
    let output = files.plan(
        &["vec-ring"],
        &[&columns[..], &changes, &["--format", "csv"]].concat(),
    );
    assert!(
        complaints(&output).contains("1 key empty"),
        "{}",
        complaints(&output)
    );
    let rows = read_rows(&String::from_utf8(output.stdout).unwrap());
    for (quantity, total) in [("keys", 3), ("bytes", 42), ("hits", 10)] {
        let row = |metric: &str| rows[&format!("vec-ring  {quantity} {metric}")];
        assert_eq!(row("total  "), (Some(total), None));
        for metric in [
            "moved  ",
            "forced  ",
            "load_before a ",
            "load_after  b",
            "flow a b",
        ] {
            assert_eq!(row(metric), (Some(total), Some(1.0)), "{quantity} {metric}");
        }
        for metric in [
            "collateral  ",
            "load_before b ",
            "load_after  a",
            "elsewhere  ",
            "moved_again  ",
        ] {
            assert_eq!(row(metric), (Some(0), Some(0.0)), "{quantity} {metric}");
        }
        for metric in [
            "optimal  ",
            "own_optimal  ",
            "peak_before  ",
            "peak_after  ",
        ] {
            assert_eq!(row(metric), (None, Some(1.0)), "{quantity} {metric}");
        }
        // A change of weights is neither a removal nor an addition.
        assert_eq!(row("excess  "), (None, None));
        assert_eq!(row("moved_once  "), (Some(total), Some(1.0)));
        // Step by step: some go over when b gets its weight, the others when a loses it.
        let step = |n: u8| rows[&format!("vec-ring {n} {quantity} moved  ")].0.unwrap();
        assert_eq!(step(1) + step(2), total);
    }
    // One of two equal nodes leaves: half should move, what it had does.
    let files = Files::with("a\nb\n", "x\ny\nz\n");
    let rows = files.rows(&["modulo"], &["--change", "-b"]);
    let had = rows["modulo  keys load_before b "].0;
    assert_eq!(rows["modulo  keys moved  "].0, had);
    assert_eq!(rows["modulo  keys optimal  "].1, Some(0.5));
    assert_eq!(rows["modulo  keys excess  "].1, Some(1.0));
}

#[test]
fn steps_say_what_moves_twice() {
    let files = Files::with("a\nb\nc\n", many_keys());
    files.write("after", "a\nb\nd\n");
    let rows = files.rows(&["rendezvous"], &["--steps"]);
    let amount = |key: &str| rows[&format!("rendezvous {key}")].0.unwrap();
    let via = |more: &[&str]| files.owners("rendezvous", "nodes", more);
    let owners = [
        via(&[]),
        via(&["--change=-c"]),
        files.owners("rendezvous", "after", &[]),
    ];
    let count = |moves: fn([bool; 2]) -> bool| {
        let keys = (0..owners[0].len())
            .filter(|&i| moves([owners[0][i] != owners[1][i], owners[1][i] != owners[2][i]]));
        keys.count() as u128
    };
    assert_eq!(amount("1 keys moved  "), count(|it| it[0]));
    assert_eq!(amount("2 keys moved  "), count(|it| it[1]));
    assert_eq!(amount(" keys moved_once  "), count(|it| it[0] || it[1]));
    let again = count(|it| it[0] && it[1]);
    assert_eq!(amount(" keys moved_again  "), again);
    assert!(again > 0);
    // The order of joining says nothing to this one, so the steps end where the change does.
    assert_eq!(amount(" keys elsewhere  "), 0);
    // It says something to this one: d stands first in the file, and last when it joins.
    files.write("after", "d\na\nb\n");
    let rows = files.rows(&["modulo"], &["--steps"]);
    assert!(rows["modulo  keys elsewhere  "].0 > Some(0));
}

#[test]
fn threads_change_nothing() {
    let files = Files::with(BEFORE, many_keys() + &many_keys() + "x\ny\n");
    files.write("after", AFTER);
    let mut answers = Vec::new();
    for threads in ["1", "2", "3"] {
        let moves = files.path("moves");
        let more = [
            "--moves",
            moves.to_str().unwrap(),
            "--format",
            "json",
            "--steps",
        ];
        let output = files.plan_with(&["ketama"], &more, &[("RAYON_NUM_THREADS", threads)]);
        answers.push((printed(&output), fs::read_to_string(&moves).unwrap()));
    }
    assert!(answers.iter().all(|it| *it == answers[0]));
    // The moves are those of `route`, in the order of the keys.
    let owners = [
        files.owners("ketama", "nodes", &[]),
        files.owners("ketama", "after", &[]),
    ];
    let keys = fs::read_to_string(files.path("keys")).unwrap();
    let lines = keys.lines().zip(owners[0].iter().zip(&owners[1]));
    let lines = lines.filter(|(_, (old, new))| old != new);
    let lines = lines.map(|(key, (old, new))| format!("{key}\t{old}\t{new}\n"));
    let expected: String = ["key\tfrom\tto\n".to_owned()]
        .into_iter()
        .chain(lines)
        .collect();
    assert!(answers[0].1 == expected);
}

#[test]
fn packed_keys_and_pipes() {
    let files = Files::with(BEFORE, many_keys());
    files.write("after", AFTER);
    let plain = files.rows(&["ketama"], &[]);
    let keys = many_keys();
    let (one, other) = keys.split_at(300_000);
    let gzip = |text: &str| {
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        writer.write_all(text.as_bytes()).unwrap();
        writer.finish().unwrap()
    };
    let zstd = |text: &str| zstd::encode_all(text.as_bytes(), 1).unwrap();
    // Packed in one piece, and in two one behind the other.
    let gzipped = gzip(&keys);
    for packed in [
        gzipped.clone(),
        [gzip(one), gzip(other)].concat(),
        zstd(&keys),
        [zstd(one), zstd(other)].concat(),
    ] {
        files.write("keys", packed);
        assert_eq!(files.rows(&["ketama"], &[]), plain);
    }
    let (nodes, after) = (files.path("nodes"), files.path("after"));
    let args = [
        "plan",
        "--strategy",
        "ketama",
        "--before",
        nodes.to_str().unwrap(),
        "--after",
        after.to_str().unwrap(),
        "--keys",
        "-",
        "--format",
        "csv",
    ];
    for input in [keys.as_bytes(), &gzipped] {
        assert_eq!(read_rows(&printed(&run_with_input(&args, input))), plain);
    }
    // Cut off: what was there is counted, and said.
    let cut = &gzipped[..gzipped.len() / 2];
    let output = run_with_input(&args, cut);
    let rows = read_rows(&String::from_utf8(output.stdout.clone()).unwrap());
    let n_keys = rows["ketama  keys total  "].0.unwrap();
    assert!((20_000..50_000).contains(&n_keys), "{n_keys}");
    let said = format!("standard input: warning: the packed data are cut off; the {n_keys} keys");
    assert!(
        complaints(&output).contains(&said),
        "{}",
        complaints(&output)
    );
    // Broken is not cut off.
    let mut broken = gzipped;
    let middle = broken.len() / 2;
    broken[middle..middle + 100].fill(0);
    check_refused(&run_with_input(&args, &broken), &["standard input:"]);
}

#[test]
fn odd_lines_are_read_as_route_reads_them() {
    let long = vec![b'k'; 1 << 20];
    let keys = [b"\xef\xbb\xbfx\n\ny\r\n\xff\xfe\n", &long[..], b"\nlast"].concat();
    let files = Files::with("a\nb\nc\n", &keys);
    files.write("after", "a\nb\nc\nd\n");
    let more = ["--format", "csv"];
    let output = files.plan(&["ketama", "modulo"], &more);
    let said = complaints(&output);
    for part in [
        "byte order mark is kept as part of the first key",
        "1 key empty, which is a key like any other; the first is line 2",
        "1 key with a CR, which is kept as part of the key; the first is line 3",
        "1 key not UTF-8, routed byte for byte; the first is line 4",
        "1 key 1 MiB or longer; the first is line 5",
        "the last line has no line feed and counts as a key",
    ] {
        assert!(said.contains(part), "{said}");
    }
    let rows = read_rows(&String::from_utf8(output.stdout).unwrap());
    for spec in ["ketama", "modulo"] {
        let mut routed = Vec::new();
        for nodes in ["nodes", "after"] {
            let mut command = command(["route", "--strategy", spec, "--nodes"]);
            command
                .arg(files.path(nodes))
                .arg("--keys")
                .arg(files.path("keys"));
            let out = command.output().unwrap().stdout;
            let lines = out
                .split(|&byte| byte == b'\n')
                .filter(|line| !line.is_empty());
            let owner = |line: &[u8]| line[line.len() - 1];
            routed.push(lines.map(owner).collect::<Vec<u8>>());
        }
        let moved = routed[0]
            .iter()
            .zip(&routed[1])
            .filter(|(old, new)| old != new);
        let total = rows[&format!("{spec}  keys total  ")].0;
        assert_eq!(total, Some(6));
        assert_eq!(
            rows[&format!("{spec}  keys moved  ")].0,
            Some(moved.count() as u128)
        );
    }
}

#[test]
fn too_much_fails_a_pipeline() {
    let files = Files::with(BEFORE, many_keys());
    files.write("after", AFTER);
    let fails = |specs: &[&str], limit: &str| files.plan(specs, &["--fail-above", limit]);
    let output = fails(&["ketama", "modulo"], "0.6");
    assert_eq!(output.status.code(), Some(1));
    let said = complaints(&output);
    assert!(said.starts_with("ringmark: modulo: moves 0."), "{said}");
    assert_eq!(said.lines().count(), 1);
    // The result is there to be looked at all the same.
    assert!(
        String::from_utf8(output.stdout)
            .unwrap()
            .contains("collateral")
    );
    printed(&fails(&["ketama"], "0.6"));
    printed(&fails(&["modulo"], "1"));
}

#[test]
fn what_cannot_be_planned() {
    let files = Files::with("a\nb\n", "id,size\nx,1\ny,2\n");
    let check = |more: &[&str], words: &[&str]| {
        check_refused(&files.plan(&["modulo"], more), words);
    };
    check(&[], &["--after <FILE>"]);
    check(
        &["--change", "-z"],
        &["nodes: ", "modulo", "\"-z\"", "no node \"z\""],
    );
    check(
        &["--change", "-a", "--change", "-b"],
        &["after", "at least one node with weight"],
    );
    check(
        &["--change", "-a", "--fail-above", "2"],
        &["share from 0 to 1"],
    );
    check(&["--change", "-a", "--bytes", "size"], &["--key <COLUMN>"]);
    let csv = ["--change", "-a", "--key", "id"];
    let with = |more: &[&'static str]| [&csv[..], more].concat();
    check(
        &with(&["--bytes", "sice"]),
        &["keys:1: ", "\"sice\"", "\"id\", \"size\""],
    );
    files.write("keys", "id,size\nx,1\ny,2.5\n");
    check(
        &with(&["--bytes", "size"]),
        &["keys:3: size: ", "whole number", "\"2.5\""],
    );
    files.write("keys", "id,size\nx,1\ny\n");
    check(&csv, &["keys:3: ", "2 fields", "found 1"]);
    files.write("keys", "");
    check(&["--change", "-a"], &["keys: expected at least one key"]);
    files.write("keys", "x\ny\n");
    let own = files.write("own", "mine\n");
    check(
        &["--change", "-a", "--moves", own.to_str().unwrap()],
        &["own: ", "not replaced"],
    );
    assert_eq!(fs::read_to_string(&own).unwrap(), "mine\n");
    let moves = files.path("moves");
    let more = ["--change", "-a", "--moves", moves.to_str().unwrap()];
    check_refused(
        &files.plan(&["modulo", "ketama"], &more),
        &["one --strategy, found 2"],
    );
    // Nothing half written, and nothing left beside it.
    files.write("keys", "id,size\nx,1\ny\n");
    check(&[&more[..], &["--key", "id"]].concat(), &["keys:3: "]);
    let left = fs::read_dir(moves.parent().unwrap()).unwrap();
    let left: Vec<_> = left.map(|it| it.unwrap().file_name()).collect();
    assert_eq!(left.len(), 3, "{left:?}");
}

#[test]
fn a_chart_of_who_gives_what_to_whom() {
    let files = Files::with(BEFORE, many_keys());
    files.write("after", AFTER);
    let chart = files.path("chart.svg");
    let draw = || {
        let more = ["--chart", chart.to_str().unwrap(), "--format", "csv"];
        let output = files.plan(&["ketama", "modulo"], &more);
        (
            read_rows(&printed(&output)),
            fs::read_to_string(&chart).unwrap(),
        )
    };
    // Drawn again over the first one, which is ringmark's own.
    let (rows, svg) = draw();
    assert_eq!(draw(), (rows.clone(), svg.clone()));
    let document = roxmltree::Document::parse(&svg).unwrap();
    let titles = document.descendants().filter(|it| it.has_tag_name("title"));
    let titles: Vec<&str> = titles.filter_map(|it| it.text()).collect();
    for spec in ["ketama", "modulo"] {
        for (key, (amount, _)) in &rows {
            let Some(flow) = key.strip_prefix(&format!("{spec}  keys flow ")) else {
                continue;
            };
            let (from, to) = flow.split_once(' ').unwrap();
            let keys = amount.unwrap().to_string();
            let cells = titles
                .iter()
                .filter(|it| it.starts_with(&format!("{from} to {to}: ")));
            let digits = |title: &&str| -> String {
                let count = title
                    .split(": ")
                    .nth(1)
                    .unwrap()
                    .split(" key")
                    .next()
                    .unwrap();
                count.chars().filter(char::is_ascii_digit).collect()
            };
            assert!(cells.map(digits).any(|it| it == keys), "{key}");
        }
    }
    // Who made it stands in it, without where it went.
    assert!(svg.contains("plan --strategy ketama") && !svg.contains("chart.svg"));
    fs::write(&chart, "<svg/>").unwrap();
    let more = ["--chart", chart.to_str().unwrap()];
    check_refused(
        &files.plan(&["ketama"], &more),
        &["chart.svg: ", "not replaced"],
    );
}

#[test]
fn repeated_keys_count_once_where_asked() {
    // Every key three times, the first time with a weight of its own.
    let keys = |n: u64| (0..n).map(|i| format!("k{}", i % 30_000));
    let row = |(i, key): (u64, String)| format!("{key},{}\n", if i < 30_000 { i } else { 7 });
    let rows = |n: u64| -> String { (0..).zip(keys(n)).map(row).collect() };
    let files = Files::with(BEFORE, format!("key,size\n{}", rows(30_000)));
    files.write("after", AFTER);
    // One that knows load must see the keys in their order.
    let specs = ["ketama", "bounded-load"];
    let columns = ["--key", "key", "--bytes", "size"];
    let once = files.rows(&specs, &columns);
    files.write("keys", format!("key,size\n{}", rows(90_000)));
    assert_ne!(files.rows(&specs, &columns), once);
    let more = [&columns[..], &["--distinct", "--format", "csv"]].concat();
    let output = files.plan(&specs, &more);
    let said = complaints(&output);
    assert!(
        said.contains("60000 of 90000 keys repeat an earlier one"),
        "{said}"
    );
    assert_eq!(read_rows(&String::from_utf8(output.stdout).unwrap()), once);
    // Without columns, key by key.
    let output = files.plan(&["ketama"], &["--distinct", "--format", "csv"]);
    let found = read_rows(&String::from_utf8(output.stdout).unwrap());
    // The lines, with their sizes: each of the first 30,000 once, then "kN,7", of which k7,7 was there.
    assert_eq!(found["ketama  keys total  "].0, Some(1 + 30_000 + 29_999));
}

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_nothing() {
    use std::process::{Command, Stdio};
    let files = Files::with(BEFORE, "");
    files.write("after", AFTER);
    let (nodes, after, moves) = (
        files.path("nodes"),
        files.path("after"),
        files.path("moves"),
    );
    let mut command = command(["plan", "--strategy", "ketama", "--keys", "-", "--before"]);
    command
        .arg(nodes)
        .arg("--after")
        .arg(after)
        .arg("--moves")
        .arg(&moves);
    let piped = command.stdin(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().expect("the program starts");
    // A pipe that gives some keys and then nothing, but does not end.
    let mut stdin = child.stdin.take().expect("it is piped");
    stdin.write_all(b"x\ny\nz\n").expect("it is open");
    // Once it has begun the file, it also listens for interrupts.
    let n_files = || fs::read_dir(moves.parent().unwrap()).unwrap().count();
    while n_files() < 4 {
        std::thread::yield_now();
    }
    let kill = format!("kill -INT {}", child.id());
    let killed = Command::new("sh").args(["-c", &kill]).status();
    assert!(killed.expect("there is a shell").success());
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(130), "{}", complaints(&output));
    assert_eq!(n_files(), 3);
    drop(stdin);
}
