//! An nginx of our own, and how to ask it.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::Duration,
};

use router::KeyBuf;
use tempfile::TempDir;

/// A server of the upstream.
pub(crate) struct Server {
    /// As in the configuration.
    pub(crate) name: String,
    pub(crate) weight: u32,
}

/// An installed nginx, and a folder for what it writes.
pub(crate) struct Nginx {
    program: PathBuf,
    folder: TempDir,
}

/// Ends the process when a test ends, however it does.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Ports that nobody listened at just now.
pub(crate) fn free_ports(n: usize) -> Vec<u16> {
    let listeners: Vec<TcpListener> = (0..n)
        .map(|_| TcpListener::bind("127.0.0.1:0").expect("loopback has free ports"))
        .collect();
    let ports = listeners.iter().map(TcpListener::local_addr);
    ports.map(|it| it.expect("it is bound").port()).collect()
}

impl Nginx {
    /// The nginx of this machine, where there is one.
    pub(crate) fn installed() -> Option<Self> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        // Debian has it where only the administrator's path looks.
        let folders = std::env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]);
        let program = folders
            .map(|folder| folder.join("nginx"))
            .find(|it| it.is_file())?;
        let folder = tempfile::tempdir().expect("there is room for a folder");
        Some(Self { program, folder })
    }

    /// Where a server may listen that has no port.
    pub(crate) fn socket(&self) -> PathBuf {
        self.folder.path().join("server.sock")
    }

    /// The place in `servers` of the one that answers for each key.
    pub(crate) fn owners(&self, servers: &[Server], keys: &KeyBuf) -> Vec<usize> {
        let front = free_ports(1)[0];
        let _ = fs::remove_file(self.socket());
        let conf = self.folder.path().join("nginx.conf");
        let log = self.folder.path().join("error.log");
        fs::write(&conf, configuration(self.folder.path(), front, servers)).expect("room");
        let child = Command::new(&self.program)
            .args([
                "-e".as_ref(),
                log.as_os_str(),
                "-c".as_ref(),
                conf.as_os_str(),
            ])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("nginx starts");
        let mut running = Running(child);
        let mut line = connect(front, &mut running.0).unwrap_or_else(|| {
            let log = fs::read_to_string(&log).unwrap_or_default();
            panic!("nginx does not answer: {log}")
        });
        let keys = keys.keys().iter();
        keys.map(|key| line.ask(str::from_utf8(key).expect("keys are text")))
            .collect()
    }
}

/// One process, no daemon, all files in `folder`.
fn configuration(folder: &Path, front: u16, servers: &[Server]) -> String {
    let folder = folder.display();
    let mut text = format!(
        "daemon off; master_process off; pid {folder}/pid; error_log {folder}/error.log;\n\
         events {{ worker_connections 256; }}\n\
         http {{\n access_log off; keepalive_requests 1000000;\n"
    );
    for kind in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"] {
        text += &format!(" {kind}_temp_path {folder}/{kind};\n");
    }
    text += " upstream servers { hash $arg_key consistent;\n";
    for server in servers {
        text += &format!("  server {} weight={};\n", server.name, server.weight);
    }
    text += &format!(
        " }}\n server {{ listen 127.0.0.1:{front}; location / {{ proxy_pass http://servers; }} }}\n"
    );
    for (i, server) in servers.iter().enumerate() {
        text += &format!(" server {{ listen {}; return 200 {i}; }}\n", server.name);
    }
    text + "}\n"
}

/// A connection that is kept.
struct Line(BufReader<TcpStream>);

/// Connects once nginx listens; nothing where it ends first, or takes ten seconds.
fn connect(port: u16, child: &mut Child) -> Option<Line> {
    for _ in 0..1000 {
        if let Ok(stream) = TcpStream::connect(("127.0.0.1", port)) {
            stream.set_nodelay(true).ok()?;
            stream
                .set_read_timeout(Some(Duration::from_secs(20)))
                .ok()?;
            return Some(Line(BufReader::new(stream)));
        }
        if child.try_wait().ok()?.is_some() {
            return None;
        }
        thread::sleep(Duration::from_millis(10));
    }
    None
}

impl Line {
    /// Sends a request for this key, and reads the number that the server answers with.
    fn ask(&mut self, key: &str) -> usize {
        let request = format!("GET /?key={key} HTTP/1.1\r\nHost: ringmark\r\n\r\n");
        let sent = self.0.get_mut().write_all(request.as_bytes());
        sent.expect("nginx reads");
        let (mut length, mut head) = (0, String::new());
        loop {
            head.clear();
            self.0.read_line(&mut head).expect("nginx answers");
            assert!(!head.starts_with("HTTP/1.1 5"), "{key}: {head}");
            let lower = head.to_ascii_lowercase();
            if let Some(value) = lower.strip_prefix("content-length:") {
                length = value.trim().parse().expect("a length is a number");
            }
            if head.trim().is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).expect("nginx answers in full");
        let body = str::from_utf8(&body).expect("a number is text");
        body.parse().unwrap_or_else(|_| panic!("{key}: {body:?}"))
    }
}
