//! Experiments against real servers, which the program starts on loopback and ends with itself.
//!
//! Each test that needs a server says so and is skipped where it is not installed; where `CI` is
//! set, it fails instead.

mod memcached;
mod redis;

use std::{
    env,
    ffi::OsStr,
    fs,
    io::{Read as _, Write as _},
    net::{Ipv4Addr, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use bench_harness::{
    experiment::{Definition, Experiment, Findings, Options, Setup},
    measure::Progress,
    record::Verdict,
};
use tempfile::TempDir;
use toml::Table;

/// Whether a server is there; says that the test is skipped where it is not.
///
/// # Panics
///
/// When it is not there and `CI` is set.
fn installed(program: &str, package: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    let found = env::split_paths(&path).any(|folder| folder.join(program).is_file());
    if !found {
        assert!(
            env::var_os("CI").is_none(),
            "CI needs {program} (Debian: {package})"
        );
        println!("skipped: {program} (Debian: {package})");
    }
    found
}

/// Runs an experiment whose definition was changed.
#[track_caller]
fn find(experiment: &Experiment, options: &Options, change: impl FnOnce(&mut Table)) -> Findings {
    let mut table: Table = experiment.text.parse().expect("it is TOML");
    change(table["setup"].as_table_mut().expect("it has a setup"));
    let definition: Definition = table.try_into().expect("it is a definition");
    let setup = Setup {
        catalog: &registry::catalog(),
        definition: &definition,
        options,
        progress: &Progress::new(),
    };
    (experiment.run)(&setup).expect("it can be run")
}

/// The part of an experiment with a server.
#[track_caller]
fn part(name: &str, server: &str) -> &'static Experiment {
    let experiment = Experiment::find(name).expect("it is there");
    experiment.with_server(server).expect("it has that part")
}

fn set_count(setup: &mut Table, of: &str, count: i64) {
    let numbered = setup[of].as_table_mut().expect("numbered names");
    numbered.insert("count".into(), count.into());
}

#[track_caller]
fn check_verdict(findings: &Findings, claim: &str, verdict: Verdict, measured: &str) {
    let mut claims = findings.claims.iter();
    let found = claims
        .find(|it| it.claim.starts_with(claim))
        .expect("it was judged");
    assert_eq!(
        (found.verdict, found.measured.as_str()),
        (verdict, measured),
        "{found:?}"
    );
}

/// The program at work on an experiment, with folders of its own for servers and results.
struct Run {
    folder: TempDir,
    child: Option<Child>,
}

impl Run {
    #[track_caller]
    fn start(args: &[&str], path: Option<&OsStr>) -> Self {
        let folder = tempfile::tempdir().expect("there is room for a folder");
        fs::create_dir(folder.path().join("servers")).expect("there is room for a folder");
        let mut command = Command::new(env!("CARGO_BIN_EXE_ringmark"));
        command
            .arg("experiment")
            .args(args)
            .arg("--out")
            .arg(folder.path().join("out"))
            .env("TMPDIR", folder.path().join("servers"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(path) = path {
            command.env("PATH", path);
        }
        let child = Some(command.spawn().expect("the program starts"));
        Self { folder, child }
    }

    fn out(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    /// The number of the first server that the program has started and not yet stopped.
    #[track_caller]
    fn server(&self) -> u32 {
        let servers = self.folder.path().join("servers");
        wait("a server starts", || {
            let folders = fs::read_dir(&servers).ok()?.flatten();
            let mut pids = folders.filter_map(|it| fs::read_to_string(it.path().join("pid")).ok());
            pids.find_map(|pid| pid.trim().parse().ok())
        })
    }

    fn kill(&self, signal: &str, pid: u32) {
        let status = Command::new("kill")
            .args([signal, &pid.to_string()])
            .status();
        assert!(status.expect("kill starts").success());
    }

    fn pid(&self) -> u32 {
        self.child.as_ref().expect("it runs").id()
    }

    #[track_caller]
    fn end(&mut self) -> Output {
        let child = self.child.take().expect("it runs");
        child.wait_with_output().expect("it ends")
    }

    /// Nothing runs and nothing lies about any more.
    #[track_caller]
    fn check_gone(&self, server: u32) {
        let process = format!("/proc/{server}/cmdline");
        wait("the server ends", || {
            // One that has ended and was not yet waited for has no command line.
            fs::read(&process)
                .map_or(true, |it| it.is_empty())
                .then_some(())
        });
        let servers = self.folder.path().join("servers");
        wait("its folder goes", || {
            (fs::read_dir(&servers).ok()?.count() == 0).then_some(())
        });
        assert!(!self.out().exists(), "nothing was written");
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Waits for something that happens in another process.
#[track_caller]
fn wait<T>(what: &str, mut happened: impl FnMut() -> Option<T>) -> T {
    let since = Instant::now();
    loop {
        if let Some(it) = happened() {
            return it;
        }
        assert!(
            since.elapsed() < Duration::from_secs(60),
            "waited in vain: {what}"
        );
        thread::sleep(Duration::from_millis(5));
    }
}

/// A folder for PATH in which there is no server.
fn nowhere() -> TempDir {
    tempfile::tempdir().expect("there is room for a folder")
}

/// What stands in a data file.
#[track_caller]
fn data(out: &Path, file: &str) -> String {
    fs::read_to_string(out.join("data").join(file)).expect("it was written")
}

/// A server that is not installed is a verdict.
#[test]
fn a_server_that_is_not_there_is_said() {
    for (name, server, package) in [
        ("java-homework", "redis", "redis-server"),
        ("cache-storm", "memcached", "memcached"),
    ] {
        let nowhere = nowhere();
        let mut run = Run::start(&[name, "--live", server], Some(nowhere.path().as_os_str()));
        let output = run.end();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let claims = data(&run.out(), &format!("experiment-{name}-{server}.csv"));
        let why = format!("not checkable,{package} is not installed; Debian: {package}");
        assert_eq!(
            claims.matches(&why).count(),
            claims.lines().count() - 1,
            "{claims}"
        );
    }
}

/// Whether what a server answers to `ask` contains `sign`. Its port stands in its command line.
fn answers(server: u32, port_after: &str, ask: &str, sign: &str) -> Option<()> {
    let line = fs::read(format!("/proc/{server}/cmdline")).ok()?;
    let line = String::from_utf8_lossy(&line).replace('\0', " ");
    let (_, rest) = line.split_once(port_after)?;
    let port: String = rest.chars().take_while(char::is_ascii_digit).collect();
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port.parse().ok()?)).ok()?;
    stream.write_all(ask.as_bytes()).ok()?;
    let mut answer = [0; 1 << 16];
    let n = stream.read(&mut answer).ok()?;
    String::from_utf8_lossy(&answer[..n])
        .contains(sign)
        .then_some(())
}

/// A program that was interrupted, killed, or left by its server in the middle of its work.
#[track_caller]
fn check_ends(args: &[&str], server_name: &str, works: impl Fn(u32) -> Option<()>) {
    // Interrupted: exit 130.
    let mut run = Run::start(args, None);
    let server = run.server();
    run.kill("-INT", run.pid());
    let output = run.end();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    run.check_gone(server);
    // Killed, with no time for anything.
    let mut run = Run::start(args, None);
    let server = run.server();
    run.kill("-KILL", run.pid());
    run.end();
    run.check_gone(server);
    // The server dies: one clear line, exit 2.
    let mut run = Run::start(args, None);
    let server = run.server();
    wait("the server is given keys", || works(server));
    run.kill("-KILL", server);
    let output = run.end();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    let line = String::from_utf8(output.stderr).expect("text");
    assert!(
        line.starts_with("ringmark: ") && line.lines().count() == 1,
        "{line}"
    );
    assert!(line.contains(server_name), "{line}");
    run.check_gone(server);
}
