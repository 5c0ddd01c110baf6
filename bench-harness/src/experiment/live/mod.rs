//! Experiments against real servers on loopback, which are started for them and end with them.
//!
//! ```text
//!   ringmark --(a pipe)--> shell, waits for the pipe's end --> server, in a folder of its own
//! ```
//!
//! A server must not outlive the program, however that ends: after an error, an interrupt, or a kill
//! that leaves no time for anything. The system closes the pipe then, and the shell at its other end
//! stops the server and removes its folder.

mod memcached;
mod redis;

use std::{
    env, fs,
    net::{Ipv4Addr, TcpListener, TcpStream},
    os::unix::process::CommandExt as _,
    path::Path,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail};

pub(super) use memcached::run as storm_in_memcached;
pub(super) use redis::run as homework_in_redis;

/// What the shell does: starts the server, writes its number down, waits until nobody holds the other
/// end of its input, stops the server, removes the folder. The server has nothing to lose, and may
/// not listen to signals yet: it is killed. Signals to the shell itself are not heeded.
const SUPERVISOR: &str = r#"
folder=$1
shift
"$@" >"$folder/log" 2>&1 </dev/null &
trap '' HUP INT TERM
echo $! >"$folder/starting" && mv "$folder/starting" "$folder/pid"
read -r never
kill -KILL $! 2>/dev/null
wait
rm -rf "$folder"
"#;

/// How long a server may take until it answers.
const PATIENCE: Duration = Duration::from_secs(10);

/// A server program.
#[derive(Clone, Copy, Debug)]
struct Program {
    /// Its name, to run it by.
    name: &'static str,
    /// The Debian package that has it.
    package: &'static str,
}

impl Program {
    /// Whether it can be run; else why not.
    fn absent(self) -> Option<String> {
        let folders = env::var_os("PATH").unwrap_or_default();
        let found = env::split_paths(&folders).any(|it| it.join(self.name).is_file());
        let Self { name, package } = self;
        (!found).then(|| format!("{name} is not installed; Debian: {package}"))
    }
}

/// A running server; dropping it stops it.
struct Server {
    program: Program,
    shell: Child,
    /// Its port on loopback.
    port: u16,
    /// Its number as a process.
    pid: u32,
}

impl Server {
    /// Starts a server with the arguments that `args` makes of a port and a folder, waits until it
    /// listens, and lets `connect` make a client that knows it by its number.
    fn start<C>(
        program: Program,
        args: impl Fn(u16, &Path) -> Vec<String>,
        connect: impl Fn(&Self) -> Result<C>,
    ) -> Result<(Self, C)> {
        // Another program may take a port between our looking and the server's.
        const TRIES: usize = 5;
        let mut last = None;
        for _ in 0..TRIES {
            let server = Self::start_once(program, &args);
            let connected = server.and_then(|it| connect(&it).map(|client| (it, client)));
            match connected {
                Ok(connected) => return Ok(connected),
                Err(err) => last = Some(err),
            }
        }
        Err(last.expect("it was tried"))
    }

    fn start_once(program: Program, args: impl Fn(u16, &Path) -> Vec<String>) -> Result<Self> {
        let Program { name, .. } = program;
        let port = free_port()?;
        let folder = tempfile::Builder::new().prefix("ringmark-").tempdir();
        let folder = folder.context("make a folder for a server")?;
        let shell = Command::new("sh")
            .args(["-c", SUPERVISOR, "ringmark-server"])
            .arg(folder.path())
            .arg(name)
            .args(args(port, folder.path()))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .with_context(|| format!("start {name}"))?;
        // From here on the folder is the shell's.
        let folder = folder.keep();
        let mut server = Self {
            program,
            shell,
            port,
            pid: 0,
        };
        let since = Instant::now();
        while since.elapsed() < PATIENCE {
            let pid = fs::read_to_string(folder.join("pid")).unwrap_or_default();
            if let Ok(pid) = pid.trim().parse() {
                server.pid = pid;
                if TcpStream::connect((Ipv4Addr::LOCALHOST, port)).is_ok() {
                    return Ok(server);
                }
            }
            thread::sleep(Duration::from_millis(10));
        }
        let log = fs::read_to_string(folder.join("log")).unwrap_or_default();
        let last = log.lines().next_back().unwrap_or("it says nothing");
        bail!("{name} does not answer on port {port}: {last}")
    }

    /// Refuses a server that is not the one that was started: another program's on the same port.
    fn check_pid(&self, answered: Option<u32>) -> Result<()> {
        if answered != Some(self.pid) {
            let (name, port) = (self.program.name, self.port);
            bail!("port {port} is not answered by the {name} that was started");
        }
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The end of its input is what the shell waits for.
        drop(self.shell.stdin.take());
        let _ = self.shell.wait();
    }
}

fn free_port() -> Result<u16> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("look for a free port")?;
    Ok(listener.local_addr()?.port())
}
