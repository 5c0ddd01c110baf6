//! HAProxy: `server NAME ADDRESS weight N ...` lines of a `backend` or `listen` section.

use router::NodeSpec;

use super::{Fault, Listed, choose, weight};

/// Words that begin another section.
const SECTIONS: [&str; 18] = [
    "global",
    "defaults",
    "frontend",
    "backend",
    "listen",
    "peers",
    "resolvers",
    "mailers",
    "userlist",
    "program",
    "http-errors",
    "ring",
    "log-forward",
    "log-profile",
    "cache",
    "fcgi-app",
    "crt-store",
    "traces",
];

/// HAProxy's largest weight.
const MOST: u32 = 256;

/// A section with servers.
#[derive(Default)]
struct Section {
    servers: Vec<Listed>,
    default_weight: Option<u32>,
    default_idle: bool,
}

/// What the words behind an address say of keys.
struct Said {
    weight: Option<u32>,
    /// Whether it gets no keys while others do.
    idle: Option<bool>,
}

pub(super) fn list(text: &str, wanted: Option<&str>) -> Result<Vec<Listed>, Fault> {
    let mut sections: Vec<(String, Section)> = Vec::new();
    // Servers of other sections are no servers of ours: `peers` has them too.
    let mut within = Within::Nothing;
    for (line, text) in (1..).zip(text.lines()) {
        let text = text.split_once('#').map_or(text, |(before, _)| before);
        let words: Vec<&str> = text.split_whitespace().collect();
        let Some((&first, rest)) = words.split_first() else {
            continue;
        };
        if SECTIONS.contains(&first) {
            within = match (first, rest.first()) {
                ("backend" | "listen", Some(name)) => {
                    sections.push(((*name).to_owned(), Section::default()));
                    Within::Servers
                }
                ("backend" | "listen", None) => {
                    return Err(Fault::at(line, format!("expected {first} NAME")));
                }
                ("defaults", _) => Within::Defaults,
                _ => Within::Other,
            };
            continue;
        }
        if !matches!(first, "server" | "default-server" | "server-template") {
            continue;
        }
        match within {
            Within::Other => continue,
            Within::Defaults => {
                let what =
                    "default-server for all sections is not followed: put it into the backend";
                return Err(Fault::at(line, what));
            }
            // A piece of a configuration: server lines alone.
            Within::Nothing => {
                sections.push((String::new(), Section::default()));
                within = Within::Servers;
            }
            Within::Servers => {}
        }
        let (_, section) = sections.last_mut().expect("one was begun");
        section.read(first, rest, line)?;
    }
    sections.retain(|(_, section)| !section.servers.is_empty());
    let section = choose(sections, wanted, ("haproxy", "backend with servers"))?;
    Ok(section.servers)
}

#[derive(Clone, Copy)]
enum Within {
    Nothing,
    Servers,
    Defaults,
    Other,
}

impl Section {
    /// Reads one line about servers.
    fn read(&mut self, first: &str, rest: &[&str], line: u64) -> Result<(), Fault> {
        if let Some(word) = rest
            .iter()
            .find(|word| word.contains(['"', '\'', '\\', '$']))
        {
            let what = format!("expected words without quotes and variables, found {word}");
            return Err(Fault::at(line, what));
        }
        match (first, rest) {
            ("server-template", _) => Err(Fault::at(
                line,
                "server-template makes names at run time: write the servers out",
            )),
            ("default-server", parameters) => {
                let said = said(parameters, line)?;
                self.default_weight = said.weight.or(self.default_weight);
                self.default_idle = said.idle.unwrap_or(self.default_idle);
                Ok(())
            }
            (_, [name, _address, parameters @ ..]) => {
                let said = said(parameters, line)?;
                let weight = said.weight.or(self.default_weight).unwrap_or(1);
                let idle = said.idle.unwrap_or(self.default_idle);
                let node = NodeSpec::new(*name, if idle { 0 } else { weight });
                self.servers.push(Listed::on(line, node));
                Ok(())
            }
            _ => Err(Fault::at(line, "expected server NAME ADDRESS")),
        }
    }
}

/// Finds what matters among the parameters; the others change no name and no weight.
fn said(parameters: &[&str], line: u64) -> Result<Said, Fault> {
    let mut said = Said {
        weight: None,
        idle: None,
    };
    let mut words = parameters.iter();
    while let Some(&word) = words.next() {
        match word {
            "weight" => {
                let text = words.next().copied().unwrap_or_default();
                said.weight = Some(weight(text, 0..=MOST, line)?);
            }
            "backup" | "disabled" => said.idle = Some(true),
            "no-backup" | "enabled" => said.idle = Some(false),
            _ => {}
        }
    }
    Ok(said)
}
