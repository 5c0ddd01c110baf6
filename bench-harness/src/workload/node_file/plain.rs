//! Our own format: a node a line.

use router::NodeSpec;

use super::{Fault, Listed};

pub(super) fn list(text: &[u8]) -> Result<Vec<Listed>, Fault> {
    let mut listed = Vec::new();
    for (number, line) in (1..).zip(text.split(|&byte| byte == b'\n')) {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        let line = str::from_utf8(line).map_err(|_| {
            let what = "expected name or name<TAB>weight in UTF-8, found other bytes";
            Fault::at(number, what)
        })?;
        let node = NodeSpec::from_line(line);
        let node = node.map_err(|err| Fault::at(number, err.to_string()))?;
        listed.push(Listed::on(number, node));
    }
    Ok(listed)
}
