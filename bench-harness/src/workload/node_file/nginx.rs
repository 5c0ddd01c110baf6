//! nginx: `upstream NAME { server ADDRESS weight=N; ... }`, anywhere in a configuration.

use router::NodeSpec;

use super::{Fault, Listed, choose, weight};

/// Parameters of a server that change neither its name nor its weight.
const IGNORED: [&str; 8] = [
    "max_conns=",
    "max_fails=",
    "fail_timeout=",
    "slow_start=",
    "service=",
    "route=",
    "id=",
    "sid=",
];

pub(super) fn list(text: &str, wanted: Option<&str>) -> Result<Vec<Listed>, Fault> {
    let tokens = tokens(text)?;
    let mut upstreams = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if let [
            Token {
                what: What::Word(word),
                begins: true,
                ..
            },
            Token {
                what: What::Word(name),
                ..
            },
            Token {
                what: What::Open,
                line,
                ..
            },
            rest @ ..,
        ] = &tokens[at..]
            && word == "upstream"
        {
            let end = rest.iter().position(|token| token.what == What::Close);
            let end = end.ok_or_else(|| Fault::at(*line, "expected a }, found the end"))?;
            upstreams.push((name.clone(), &rest[..end]));
            at += 3 + end;
        }
        at += 1;
    }
    let block = choose(upstreams, wanted, ("nginx", "upstream"))?;
    let mut listed = Vec::new();
    let mut statement: Vec<&str> = Vec::new();
    for token in block {
        match &token.what {
            What::Word(word) => statement.push(word),
            What::End => {
                if let ["server", rest @ ..] = &statement[..] {
                    let node = node(rest, token.line)?;
                    listed.push(Listed::on(token.line, node));
                } else if let ["include", ..] = &statement[..] {
                    let what = "include is not followed: put the servers in its place";
                    return Err(Fault::at(token.line, what));
                }
                statement.clear();
            }
            What::Open | What::Close => {
                let what = "expected servers, found a block in the upstream";
                return Err(Fault::at(token.line, what));
            }
        }
    }
    Ok(listed)
}

/// The server with these words behind `server`.
fn node(words: &[&str], line: u64) -> Result<NodeSpec, Fault> {
    let [address, parameters @ ..] = words else {
        return Err(Fault::at(line, "expected server ADDRESS"));
    };
    let mut node = NodeSpec::from(*address);
    let mut down = false;
    for parameter in parameters {
        match parameter.strip_prefix("weight=") {
            Some(text) => node.weight = weight(text, 1..=u32::MAX, line)?,
            None if matches!(*parameter, "down" | "drain") => down = true,
            None if *parameter == "resolve" => {}
            None if *parameter == "backup" => {
                return Err(Fault::at(
                    line,
                    "backup: nginx takes none where keys are hashed",
                ));
            }
            None if IGNORED.iter().any(|it| parameter.starts_with(it)) => {}
            None => {
                let what = format!("parameter {parameter:?} of a server is not understood");
                return Err(Fault::at(line, what));
            }
        }
    }
    if down {
        node.weight = 0;
    }
    Ok(node)
}

/// A piece of a configuration.
struct Token {
    line: u64,
    what: What,
    /// Whether a statement begins with it.
    begins: bool,
}

#[derive(PartialEq, Eq)]
enum What {
    Word(String),
    Open,
    Close,
    End,
}

/// Cuts a configuration into words, braces and semicolons; comments are left out.
fn tokens(text: &str) -> Result<Vec<Token>, Fault> {
    let mut tokens: Vec<Token> = Vec::new();
    let mut chars = text.chars().peekable();
    let mut line = 1;
    while let Some(c) = chars.next() {
        let what = match c {
            '\n' => {
                line += 1;
                continue;
            }
            c if c.is_whitespace() => continue,
            '#' => {
                while chars.next_if(|&c| c != '\n').is_some() {}
                continue;
            }
            '{' => What::Open,
            '}' => What::Close,
            ';' => What::End,
            quote @ ('"' | '\'') => {
                let (begun, mut word) = (line, String::new());
                loop {
                    match chars.next() {
                        Some(c) if c == quote => break,
                        Some('\\') => word.extend(chars.next()),
                        Some(c) => {
                            line += u64::from(c == '\n');
                            word.push(c);
                        }
                        None => return Err(Fault::at(begun, "a quote is not closed")),
                    }
                }
                What::Word(word)
            }
            c => {
                let mut word = String::from(c);
                let ends = |c: char| c.is_whitespace() || matches!(c, '{' | ';');
                while let Some(c) = chars.next_if(|&c| !ends(c)) {
                    word.push(c);
                    // ${name} has a brace that opens nothing.
                    if word.ends_with('$') {
                        word.extend(chars.next_if_eq(&'{'));
                    }
                }
                What::Word(word)
            }
        };
        let begins = tokens
            .last()
            .is_none_or(|it| !matches!(it.what, What::Word(_)));
        tokens.push(Token { line, what, begins });
    }
    Ok(tokens)
}
