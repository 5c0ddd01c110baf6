//! `bench`, `compare` and `report`: what they write, and that nothing is lost or half-written.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::Duration,
};

use super::cli::{check_refused, command, complaints, printed, run};

/// The smallest run that has every deterministic part.
const SMALL: [&str; 12] = [
    "bench",
    "--profile",
    "quick",
    "--strategy",
    "modulo",
    "--strategy",
    "vec-ring:vnodes=10",
    "--sizes",
    "5",
    "--seeds",
    "2",
    "--only=balance,movement,memory,work",
];

/// An empty folder.
pub(crate) fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("there is room for a folder")
}

/// The smallest run into a folder, not yet started.
pub(crate) fn small(out: &Path) -> Command {
    let mut small = command(SMALL);
    small.arg("--out").arg(out);
    small
}

/// Every file below a folder with its content.
pub(crate) fn tree(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("it is a folder").flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else {
                let name = entry.path().strip_prefix(root).expect("below").to_owned();
                files.insert(name, fs::read(entry.path()).expect("it is a file"));
            }
        }
    }
    files
}

/// Rows of a data file as maps from column to field.
fn rows(out: &Path, file: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_path(out.join("data").join(file)).expect("it is there");
    reader
        .deserialize()
        .map(|row| row.expect("every row has every column"))
        .collect()
}

#[track_caller]
fn value(rows: &[BTreeMap<String, String>], of: &[(&str, &str)]) -> f64 {
    let found: Vec<_> = rows
        .iter()
        .filter(|row| of.iter().all(|(column, field)| row[*column] == *field))
        .collect();
    assert_eq!(found.len(), 1, "{of:?}");
    found[0]["mean"].parse().expect("it is a number")
}

#[test]
fn the_same_bytes_again_with_one_thread_and_with_two() {
    let folder = folder();
    let (one, two) = (folder.path().join("one"), folder.path().join("two"));
    for (out, threads) in [(&one, "1"), (&two, "2")] {
        let output = small(out)
            .env("RAYON_NUM_THREADS", threads)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", complaints(&output));
    }
    let (one, two) = (tree(&one.join("data")), tree(&two.join("data")));
    assert!(one.len() >= 7, "{:?}", one.keys());
    assert_eq!(one, two);
}

#[test]
fn another_number_of_seeds_gives_other_rows() {
    let folder = folder();
    let balance = |seeds: &str, name: &str| {
        let out = folder.path().join(name);
        let args = [
            "bench",
            "--profile=quick",
            "--strategy=modulo",
            "--sizes=5",
            "--only=balance",
        ];
        let output = command(args)
            .args(["--seeds", seeds, "--raw", "--out"])
            .arg(&out)
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", complaints(&output));
        (rows(&out, "balance.csv"), rows(&out, "seeds/balance.csv"))
    };
    let (two, raw) = balance("2", "two");
    let (three, _) = balance("3", "three");
    assert_ne!(
        value(&two, &[("metric", "cv")]),
        value(&three, &[("metric", "cv")])
    );
    let cv: Vec<f64> = raw
        .iter()
        .filter(|row| row["metric"] == "cv")
        .map(|row| row["value"].parse().unwrap())
        .collect();
    assert_eq!(cv.len(), 2);
    assert_ne!(cv[0], cv[1], "two seeds, two sets of keys");
    let mean = value(&two, &[("metric", "cv")]);
    assert!(((cv[0] + cv[1]) / 2.0 - mean).abs() < 1e-5 * mean);
}

#[test]
fn a_published_experiment_through_bench() {
    // The Node.js program with 100 replicas, Node0 .. Node99, and keys user0 .. user999999 has standard
    // deviation 1073.51, a maximum of 12899 and a minimum of 7201. The same through `--nodes`.
    let folder = folder();
    let nodes: String = (0..100).map(|i| format!("Node{i}\n")).collect();
    fs::write(folder.path().join("nodes"), nodes).unwrap();
    let out = folder.path().join("out");
    let output = command(["bench", "--profile=quick", "--strategy=linear-ring-node"])
        .args([
            "--only=balance",
            "--key-set=user",
            "--n-keys=1000000",
            "--seeds=1",
        ])
        .arg("--nodes")
        .arg(folder.path().join("nodes"))
        .arg("--out")
        .arg(&out)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", complaints(&output));
    let balance = rows(&out, "balance.csv");
    let of = |metric| value(&balance, &[("metric", metric)]);
    assert_eq!(of("sd_keys"), 1073.51);
    assert_eq!(of("peak_to_avg"), 1.2899);
    assert_eq!(of("min_to_avg"), 0.7201);
}

/// What a user's own change moves stands beside the scenarios, and is what `plan` counts.
#[test]
fn a_change_of_the_users_own() {
    let folder = folder();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    fs::write(path("nodes"), "a\t3\nb\t1\nc\t1\n").unwrap();
    let keys: String = (0..20_000).map(|i| format!("key-{i}\n")).collect();
    fs::write(path("keys"), keys).unwrap();
    let changes = ["--change", "-b", "--change", "+d=2", "--change", "=a=4"];
    let specs = [
        "--strategy",
        "vec-ring",
        "--strategy",
        "modulo",
        "--strategy",
        "jump",
    ];
    let output = command(["bench", "--profile=quick", "--only=movement", "--seeds=1"])
        .args(specs)
        .args(["--nodes", &path("nodes"), "--keys", &path("keys")])
        .args(["--out", &path("out")])
        .args(changes)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", complaints(&output));
    let movement = rows(&folder.path().join("out"), "movement.csv");
    let own = |metric| {
        let ring = ("strategy", "vec-ring");
        value(&movement, &[ring, ("change", "own"), ("metric", metric)])
    };
    let planned = command(["plan", "--format=csv", "--strategy=vec-ring"])
        .args(["--before", &path("nodes"), "--keys", &path("keys")])
        .args(changes)
        .output()
        .unwrap();
    let planned = printed(&planned);
    for metric in ["moved", "forced", "collateral"] {
        let row = format!("vec-ring,,,keys,{metric},");
        let row = planned.lines().find(|line| line.starts_with(&row));
        let row = row.unwrap_or_else(|| panic!("no {metric} in {planned}"));
        let amount: f64 = row.split(',').nth(7).unwrap().parse().unwrap();
        assert_eq!(own(metric), amount / 20_000.0, "{metric}");
    }
    assert!(own("moved") > 0.2 && own("collateral") < 0.01);
    // The whole change is undone again, step by step.
    assert_eq!(own("restored_mismatch"), 0.0);
    let unable: Vec<&str> = movement
        .iter()
        .filter(|row| row["status"] == "unsupported")
        .map(|row| row["strategy"].as_str())
        .collect();
    assert!(
        unable.contains(&"modulo") && unable.contains(&"jump"),
        "{unable:?}"
    );
    let page = fs::read_to_string(folder.path().join("out/index.html")).unwrap();
    assert!(page.contains("the change given: moved"));
    assert!(page.contains("The change that was given"));
}

#[test]
fn weights_and_keys_of_the_users_own() {
    let folder = folder();
    fs::write(folder.path().join("nodes"), "a\t3\nb\t1\nidle\t0\n").unwrap();
    let keys: String = (0..20_000).map(|i| format!("key-{i}\n")).collect();
    fs::write(folder.path().join("keys"), keys).unwrap();
    let out = folder.path().join("out");
    let output = command([
        "bench",
        "--profile=quick",
        "--strategy=vec-ring:vnodes=1000",
    ])
    .args(["--strategy=modulo", "--only=balance,movement"])
    .arg("--nodes")
    .arg(folder.path().join("nodes"))
    .arg("--keys")
    .arg(folder.path().join("keys"))
    .arg("--out")
    .arg(&out)
    .output()
    .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", complaints(&output));
    let balance = rows(&out, "balance.csv");
    let ring = ("strategy", "vec-ring:vnodes=1000");
    let peak = value(&balance, &[ring, ("metric", "peak_to_avg")]);
    assert!(
        (1.0..1.2).contains(&peak),
        "load is held against the weights: {peak}"
    );
    assert!(
        balance
            .iter()
            .any(|row| row["strategy"] == "modulo" && row["status"] == "unsupported")
    );
    assert!(balance.iter().all(|row| row["scenario"] == "file keys"));
    let movement = rows(&out, "movement.csv");
    let moved = [ring, ("change", "weight-double"), ("metric", "collateral")];
    assert_eq!(
        value(&movement, &moved),
        0.0,
        "the ring follows weights minimally"
    );
}

#[test]
fn data_of_another_run_stays_with_its_origin() {
    let folder = folder();
    let out = folder.path().join("out");
    assert_eq!(small(&out).output().unwrap().status.code(), Some(0));
    let before = tree(&out.join("data"));
    let output = command(["bench", "--profile=quick", "--strategy=modulo", "--sizes=5"])
        .args(["--seeds=2", "--only=balance", "--out"])
        .arg(&out)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", complaints(&output));
    let after = tree(&out.join("data"));
    assert_eq!(
        before[Path::new("movement.csv")],
        after[Path::new("movement.csv")]
    );
    let run: serde_json::Value =
        serde_json::from_slice(&fs::read(out.join("run.json")).unwrap()).unwrap();
    let files = run["files"].as_array().unwrap();
    let entry = |path: &str| files.iter().find(|it| it["path"] == path).unwrap();
    assert!(
        entry("data/movement.csv")["made_by"]["command"]
            .as_str()
            .unwrap()
            .contains("vec-ring")
    );
    assert!(entry("data/balance.csv").get("made_by").is_none());
}

#[test]
fn pages_are_drawn_again_from_data_alone() {
    let folder = folder();
    let (out, again) = (folder.path().join("out"), folder.path().join("again"));
    assert_eq!(small(&out).output().unwrap().status.code(), Some(0));
    let output = command(["report", "--from"])
        .arg(&out)
        .arg("--out")
        .arg(&again)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", complaints(&output));
    assert_eq!(tree(&out), tree(&again));
}

#[test]
fn what_ringmark_did_not_write_is_not_replaced() {
    let folder = folder();
    let out = folder.path().join("out");
    fs::create_dir(&out).unwrap();
    fs::write(out.join("README.md"), "my own notes\n").unwrap();
    check_refused(
        &small(&out).output().unwrap(),
        &["README.md", "not written by ringmark"],
    );
    assert_eq!(tree(&out).len(), 1);
    check_no_litter(folder.path(), 1);
}

/// Checks that a folder has this many entries: nothing was left beside the report.
#[track_caller]
fn check_no_litter(folder: &Path, n: usize) {
    let names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    assert_eq!(names.len(), n, "{names:?}");
}

#[test]
fn a_full_disk_leaves_the_old_report_as_it_was() {
    let folder = folder();
    let disk = folder.path().join("disk");
    fs::create_dir(&disk).unwrap();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=400k", "ringmark-test"])
        .arg(&disk)
        .status();
    if !mounted.is_ok_and(|it| it.success()) {
        println!("skipped: mount (Debian: mount; needs root)");
        assert!(std::env::var_os("CI").is_none(), "CI mounts a small disk");
        return;
    }
    let out = disk.join("out");
    let first = command(["bench", "--profile=quick", "--strategy=modulo", "--sizes=5"])
        .args(["--seeds=2", "--only=work", "--out"])
        .arg(&out)
        .output();
    let before = tree(&out);
    // What is free now does not hold a second report.
    let ballast = fs::write(disk.join("ballast"), vec![1; 1 << 20]);
    let second = small(&out).output();
    let after = tree(&out);
    let litter = fs::read_dir(&disk).unwrap().count();
    let unmounted = Command::new("umount").arg(&disk).status();
    assert!(unmounted.unwrap().success());
    assert_eq!(first.unwrap().status.code(), Some(0));
    assert!(ballast.is_err(), "the disk was full");
    check_refused(&second.unwrap(), &["No space left on device"]);
    assert_eq!(before, after);
    assert_eq!(litter, 2, "the report and the ballast");
}

#[test]
fn a_kill_at_any_moment_leaves_the_old_report_whole() {
    let folder = folder();
    let out = folder.path().join("out");
    assert_eq!(small(&out).output().unwrap().status.code(), Some(0));
    let before = tree(&out.join("data"));
    for ms in [1, 20, 80, 200, 500, 1200] {
        let mut child = small(&out).spawn().unwrap();
        thread::sleep(Duration::from_millis(ms));
        child.kill().unwrap();
        child.wait().unwrap();
        // The same request writes the same data, so whole means equal, whenever the kill came.
        assert_eq!(before, tree(&out.join("data")), "killed after {ms} ms");
    }
    let output = small(&out).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", complaints(&output));
    check_no_litter(folder.path(), 1);
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_with_130_and_writes_nothing() {
    let folder = folder();
    let out = folder.path().join("out");
    let mut child = command(["bench", "--profile=standard", "--only=balance", "--out"])
        .arg(&out)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    thread::sleep(Duration::from_millis(1500));
    let interrupt = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(interrupt.unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        complaints(&output),
        "ringmark: interrupted; nothing was written\n"
    );
    check_no_litter(folder.path(), 0);
}

#[test]
fn wrong_input_is_refused_before_anything_is_measured_or_written() {
    let folder = folder();
    let out = folder.path().join("out");
    let file = |name: &str, content: &[u8]| {
        let path = folder.path().join(name);
        fs::write(&path, content).unwrap();
        path.to_string_lossy().into_owned()
    };
    let empty = file("empty", b"");
    let idle = file("idle", b"a\t0\n");
    let negative = file("negative", b"a\t-300\nb\t200\nc\t100\n");
    let twice = file("twice", b"a\nb\na\n");
    let binary = file("binary", &[0xff, 0xfe, 0x00, 0x01, b'\n']);
    let missing = folder.path().join("missing").to_string_lossy().into_owned();
    let here = folder.path().to_string_lossy().into_owned();
    let pair = file("pair", b"a\nb\n");
    let refused: [(&[&str], &[&str]); 22] = [
        (&["--strategy", "jumpp"], &["jumpp", "vec-ring"]),
        (&["--strategy", "vec-ring:points=3"], &["points", "vnodes"]),
        (
            &["--strategy", "vec-ring:vnodes=0"],
            &["vnodes=0", "from 1"],
        ),
        (
            &["--strategy", "vec-ring:vnodes=4294967295"],
            &["vnodes=4294967295"],
        ),
        (
            &["--strategy", "vec-ring:vnodes=134217728", "--sizes", "9"],
            &["1207959552 points", "at most 134217728"],
        ),
        (&["--profile", "brisk"], &["brisk", "quick, standard, full"]),
        (&["--only", "beauty"], &["beauty", "balance"]),
        (&["--sizes", "0"], &["0"]),
        (&["--sizes", "ten"], &["ten"]),
        (&["--key-set", "hex"], &["hex64"]),
        (&["--nodes", &empty], &["empty", "node"]),
        (&["--nodes", &idle], &["idle", "weight"]),
        (&["--nodes", &negative], &["negative", "-300"]),
        (&["--nodes", &twice], &["twice", "3"]),
        (&["--nodes", &binary], &["binary"]),
        (&["--nodes", &here], &[]),
        (&["--change", "-a"], &["--nodes"]),
        (&["--nodes", &pair, "--change", "-x"], &["--change", "x"]),
        (&["--nodes", &pair, "--change", "+a"], &["--change", "a"]),
        (&["--nodes", &pair, "--change", "a"], &["a", "expected"]),
        (&["--keys", &empty], &["empty", "key"]),
        (&["--keys", &missing], &["missing"]),
    ];
    for (args, words) in refused {
        let output = command(["bench"])
            .args(args)
            .arg("--out")
            .arg(&out)
            .output()
            .unwrap();
        check_refused(&output, words);
        assert!(!out.exists(), "{args:?}");
    }
    let not_a_folder = file("file", b"mine");
    let output = run(["bench", "--profile=quick", "--out", &not_a_folder]);
    check_refused(&output, &["file", "expected a folder"]);
    check_refused(&run(["compare", "--sizes", "0"]), &["0"]);
    check_refused(&run(["compare"]), &["--sizes"]);
    let page = file("page.md", b"no markers here\n");
    let output = run(["compare", "--sizes", "4", "--into", &page]);
    check_refused(&output, &["page.md", "expected the lines"]);
    check_refused(&run(["report", "--from", &missing]), &["run.json"]);
    let foreign = file("run.json", b"{\"name\": \"of somebody else\"}");
    assert!(foreign.ends_with("run.json"));
    check_refused(
        &run(["report", "--from", &here]),
        &["run.json", "expected ringmark's"],
    );
}

#[test]
fn compare_puts_its_table_between_the_markers_and_nowhere_else() {
    let folder = folder();
    let page = folder.path().join("page.md");
    let frame = |table: &str| {
        format!(
            "above\n<!-- ringmark compare: begin -->{table}<!-- ringmark compare: end -->\nbelow\n"
        )
    };
    fs::write(&page, frame("\nold\n")).unwrap();
    let args = [
        "compare",
        "--sizes",
        "4",
        "--strategy",
        "modulo",
        "--strategy",
        "vec-ring",
    ];
    let output = command(args).arg("--into").arg(&page).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", complaints(&output));
    let text = fs::read_to_string(&page).unwrap();
    assert!(text.starts_with("above\n<!-- ringmark compare: begin -->\n"));
    assert!(text.ends_with("<!-- ringmark compare: end -->\nbelow\n"));
    assert!(
        !text.contains("old") && text.contains("cargo compare 4"),
        "{text}"
    );
    let table: Vec<&str> = text.lines().filter(|line| line.starts_with('|')).collect();
    assert_eq!(table.len(), 4, "header, rule, two designs: {text}");
    assert!(
        table[2].contains("modulo") && table[3].contains("vec-ring"),
        "{text}"
    );

    let output = run(args);
    assert_eq!(output.status.code(), Some(0));
    let screen = String::from_utf8(output.stdout).unwrap();
    assert!(
        screen.contains("modulo") && screen.contains("n1_peak"),
        "{screen}"
    );
}
