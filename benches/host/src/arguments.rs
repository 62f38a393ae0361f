//! The command line.

pub const HELP: &str = "\
Compares sundew's blocked Bloom filter with its peers on this machine.

usage: cargo run --release -- [--quick] [--json FILE]

  --quick      1.25 MB filter only, 200 000 URLs, 5 rounds: seconds instead of minutes, rougher
  --json FILE  also write the rows to FILE, as an array of JSON objects
  --help       this text

Every number is a ratio to the limit: one rapidhash of the key and one access to a random cache line of
a buffer as large as the filter. 1.00 means as fast as that. It is the median over the rounds; the
quartiles are in brackets. Progress goes to stderr. Leave the machine alone while it runs.

keys     1 000 000 URLs of 80 bytes in the filter, 1 000 000 that are not; 10 bits per key, of which a key
         sets 7 (sbbf-rs: 8). The URLs are read in order of address, so fetching them costs little.
sizes    1.25 MB: filled with the URLs. 128 MiB: filled with 106 374 182 random hashes (random 8-byte keys
         for filters that take no hash), then the URLs.
hit      contains, for the URLs in the filter, in an order unrelated to that of insertion
miss     contains, for the others; how many are found gives the false-positive rate
insert   insert of the URLs that says whether each was new. 1.25 MB: into the empty filter. 128 MiB: into
         the full filter, which holds them already; bloomfilter then skips its writes, the others do not.
         The limit's insert changes one word of the cache line.
rounds   In each round every contestant does the same operation on the same keys, one after the other,
         and a different one starts; a ratio compares times of one round only. Before each turn at hit
         and miss, 200 000 lookups that are not timed bring the small filter back into the cache.

Calls do not wait for each other's results, so the processor overlaps them: this is throughput, not the
delay of a single call. Hits and misses are not mixed, which favours filters that branch on the bits.
";

#[derive(Debug, Default, PartialEq, Eq)]
pub struct Arguments {
    pub help: bool,
    pub quick: bool,
    pub json: Option<String>,
}

pub fn parse(mut words: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let mut arguments = Arguments::default();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--help" | "-h" => arguments.help = true,
            "--quick" => arguments.quick = true,
            "--json" => {
                arguments.json = Some(words.next().ok_or("--json needs the name of a file")?);
            }
            _ => return Err(format!("unknown argument {word:?}")),
        }
    }
    Ok(arguments)
}
