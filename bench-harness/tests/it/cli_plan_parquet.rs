//! `plan` with keys in a Parquet file: the same figures as from CSV, and what is refused.

use std::fs;

use crate::cli::{Files, check_refused, command};

/// What `plan` says of the file `keys`, as CSV.
fn plan(files: &Files, columns: &[&str]) -> std::process::Output {
    let mut command = command(["plan", "--strategy", "ketama", "--format", "csv"]);
    command.arg("--before").arg(files.path("nodes"));
    command.arg("--after").arg(files.path("after"));
    command.arg("--keys").arg(files.path("keys")).args(columns);
    command.output().expect("the program starts")
}

fn files() -> Files {
    let files = Files::with("a\nb\nc\n", "");
    files.write("after", "a\nb\nd\n");
    files
}

#[cfg(not(feature = "parquet"))]
#[test]
fn a_build_without_it_says_what_to_build() {
    let files = files();
    fs::write(files.path("keys"), "PAR1 and more").unwrap();
    let output = plan(&files, &["--key", "key"]);
    check_refused(&output, &["build with --features parquet"]);
}

#[cfg(feature = "parquet")]
mod with_it {
    use std::sync::Arc;

    use parquet::{
        basic::Compression,
        column::writer::ColumnWriter,
        data_type::ByteArray,
        file::{properties::WriterProperties, writer::SerializedFileWriter},
        schema::parser::parse_message_type,
    };

    use super::*;
    use crate::cli::complaints;

    /// What was printed, whatever was said beside it.
    fn stdout(output: &std::process::Output) -> String {
        assert_eq!(output.status.code(), Some(0), "{}", complaints(output));
        String::from_utf8(output.stdout.clone()).unwrap()
    }

    /// Five groups of rows, in each packing one: text, bytes, whole numbers, and what is no weight.
    fn write(files: &Files, compression: Compression) {
        let schema = "message m {
            required binary name (utf8); required int64 size; optional int32 hits;
            required binary raw; required double half;
            repeated int32 many; }";
        let schema = Arc::new(parse_message_type(schema).unwrap());
        let properties = WriterProperties::builder().set_compression(compression);
        let file = fs::File::create(files.path("keys")).unwrap();
        let properties = Arc::new(properties.build());
        let mut writer = SerializedFileWriter::new(file, schema, properties).unwrap();
        for group in 0..5 {
            let rows = group * 200..(group + 1) * 200;
            let mut rows_writer = writer.next_row_group().unwrap();
            let mut place = 0;
            while let Some(mut column) = rows_writer.next_column().unwrap() {
                let text = |prefix: &[u8]| -> Vec<ByteArray> {
                    let of = |i: i64| [prefix, i.to_string().as_bytes()].concat().into();
                    rows.clone().map(of).collect()
                };
                let levels = vec![1; rows.clone().count()];
                let n = match (place, column.untyped()) {
                    (0, ColumnWriter::ByteArrayColumnWriter(to)) => {
                        to.write_batch(&text(b"key-"), None, None)
                    }
                    (3, ColumnWriter::ByteArrayColumnWriter(to)) => {
                        to.write_batch(&text(b"\xff"), None, None)
                    }
                    (1, ColumnWriter::Int64ColumnWriter(to)) => {
                        to.write_batch(&rows.clone().collect::<Vec<_>>(), None, None)
                    }
                    // The last row has none.
                    (2, ColumnWriter::Int32ColumnWriter(to)) => {
                        let levels: Vec<i16> = rows.clone().map(|i| i16::from(i != 999)).collect();
                        let values: Vec<i32> = rows
                            .clone()
                            .filter(|&i| i != 999)
                            .map(|i| i as i32 * 3)
                            .collect();
                        to.write_batch(&values, Some(&levels), None)
                    }
                    (4, ColumnWriter::DoubleColumnWriter(to)) => {
                        to.write_batch(&vec![0.5; rows.clone().count()], None, None)
                    }
                    (5, ColumnWriter::Int32ColumnWriter(to)) => {
                        let firsts = vec![0; levels.len()];
                        to.write_batch(&vec![7; levels.len()], Some(&levels), Some(&firsts))
                    }
                    (other, _) => panic!("column {other}"),
                };
                n.unwrap();
                column.close().unwrap();
                place += 1;
            }
            rows_writer.close().unwrap();
        }
        writer.close().unwrap();
    }

    #[test]
    fn the_same_figures_as_from_csv() {
        let files = files();
        let mut csv = "name,size\n".to_owned();
        for i in 0..1000 {
            csv += &format!("key-{i},{i}\n");
        }
        let columns = ["--key", "name", "--bytes", "size"];
        fs::write(files.path("keys"), csv).unwrap();
        let expected = stdout(&plan(&files, &columns));
        assert!(expected.contains(",bytes,total,,,499500,"), "{expected}");
        for compression in [
            Compression::UNCOMPRESSED,
            Compression::SNAPPY,
            Compression::GZIP(Default::default()),
            Compression::ZSTD(Default::default()),
            Compression::LZ4_RAW,
            Compression::BROTLI(Default::default()),
        ] {
            write(&files, compression);
            assert_eq!(stdout(&plan(&files, &columns)), expected, "{compression}");
            let distinct = plan(&files, &[&columns[..], &["--distinct"]].concat());
            assert_eq!(stdout(&distinct), expected);
        }
        // Bytes that are no text, and whole numbers by their digits, one column for two purposes.
        let lines: Vec<u8> = (0..1000)
            .flat_map(|i| [b"\xff", i.to_string().as_bytes(), b"\n"].concat())
            .collect();
        let digits: String = (0..1000).map(|i| format!("{i},{i}\n")).collect();
        write(&files, Compression::SNAPPY);
        let raw = stdout(&plan(&files, &["--key", "raw"]));
        let numbers = stdout(&plan(&files, &["--key", "size", "--bytes", "size"]));
        fs::write(files.path("keys"), lines).unwrap();
        assert_eq!(raw, stdout(&plan(&files, &[])));
        fs::write(files.path("keys"), format!("a,b\n{digits}")).unwrap();
        let columns = ["--key", "a", "--bytes", "b"];
        assert_eq!(numbers, stdout(&plan(&files, &columns)));
    }

    #[test]
    fn what_is_not_as_it_should_be_is_said() {
        let files = files();
        write(&files, Compression::SNAPPY);
        let whole = fs::read(files.path("keys")).unwrap();
        let refused = |columns: &[&str], said: &str| {
            check_refused(&plan(&files, columns), &[said]);
        };
        refused(&[], "expected the name of its column of keys");
        refused(
            &["--key", "no"],
            "expected a column \"no\", found \"name\", ",
        );
        refused(
            &["--key", "half"],
            "row 1: key: expected text, bytes or a whole number, found 0.5",
        );
        refused(
            &["--key", "name", "--hits", "hits"],
            "row 1000: hits: expected a whole number from 0 to 18446744073709551615, found null",
        );
        refused(
            &["--key", "name", "--bytes", "many"],
            "column \"many\": expected single values",
        );
        // Its end says where everything lies: what is cut off cannot be read, what is broken inside
        // is found on the way.
        fs::write(files.path("keys"), &whole[..whole.len() / 2]).unwrap();
        refused(&["--key", "name"], "keys: ");
        let mut broken = whole.clone();
        broken[200..400].fill(0xa5);
        fs::write(files.path("keys"), broken).unwrap();
        refused(&["--key", "name"], "keys: ");
    }
}
