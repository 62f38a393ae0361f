//! What the console says, all in one place; commands' names and usage are in [`commands`](super::commands).
//!
//! The errors between [`FIRST_ERROR`] and [`LAST_ERROR`] are of the class `ERR`; those with another begin with it. What
//! stands for what behind a `%` is at [`fill_in`](super::call::Call::fill_in).

use super::text::Text;
use super::{DUMPS, FAMILIES, SAVES};
use crate::snapshot::SnapshotError;

macro_rules! texts {
    ($($(@$group:ident)? $name:ident = $text:expr;)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Number { $($name),* }
        /// All of them, as they were written; empty when they belong to a group that is left out.
        pub(super) const TEXTS: &[&str] = &[$(if true $(&& $group)? { $text } else { "" }),*];
        /// In how many of the three images each of them is; what only saves have, as if in one.
        #[cfg(all(test, feature = "shell-saves"))]
        pub(super) const IN_IMAGES: &[usize] = &[$(3 $(- without::$group)?),*];
        $(#[allow(dead_code)] pub(super) const $name: Text = Text::numbered(Number::$name as usize);)*
    };
}

/// In how many images a group is not.
#[cfg(all(test, feature = "shell-saves"))]
mod without {
    pub const FAMILIES: usize = 1;
    pub const DUMPS: usize = 2;
    pub const SAVES: usize = 2;
}

texts! {
    // Short ones: a place that names one of the first 250 bytes is smaller.
    OK = "OK";
    NONE = "(none)";
    PONG = "PONG";
    RESET = "RESET";
    NO_TYPE = "none";
    KEY = "%E";
    KEY_LINE = "%K\n";
    NUMBER = "%N";
    ITEMS = "ITEMS";
    GET = "GET";
    USAGE = "USAGE";
    CONFIG_VALUES = ",no";
    HELLO_ID = "id";
    SUMMARY = "summary";
    NEW = "new,seen before";
    SEEN = "seen before,new";
    MAYBE = "maybe,no";
    ASK = "ask,new";
    FILL_LINE = "%N %B %G";
    DEBUG = "size:%N";
    @FAMILIES CMS_WIDTH = "CMS: invalid width";
    @FAMILIES CMS_DEPTH = "CMS: invalid depth";
    @FAMILIES WEIGHTS = "WEIGHTS";

    // Errors from here on.
    FIRST_ERROR = "";
    // Short ones.
    SYNTAX_ERROR = "syntax error";
    NOT_FOUND = "not found";
    NOT_A_NUMBER = "value is not an integer or out of range";
    ITEM_EXISTS = "item exists";
    BAD_RATE = "bad error rate";
    BAD_CAPACITY = "bad capacity";
    BAD_EXPANSION = "bad expansion";
    INVALID_CURSOR = "invalid cursor";
    NO_KEY = "no such key; `keys` lists them";
    NAME_TOO_LONG = "the name of a key has at most 36 bytes";
    NO_KEY_TO_BENCH = "no key to look into";

    // Before a command is known.
    BYTES_LOST = "%N bytes were lost on the way in; ask again, more slowly";
    BROKE_OFF = "Protocol error: the input broke off";
    TOO_BIG_INLINE = "Protocol error: too big inline request";
    UNBALANCED_QUOTES = "Protocol error: unbalanced quotes in request";
    INVALID_COUNT = "Protocol error: invalid multibulk length";
    INVALID_LENGTH = "Protocol error: invalid bulk length";
    NO_ARGUMENT = "Protocol error: expected '$', got '%C'";
    NO_LINE_END = "Protocol error: expected CRLF after an argument";
    UNKNOWN = "unknown command '%0', with args beginning with: %a";
    WRONG_ARITY = "wrong number of arguments for '%l' command";
    TOO_LONG = "arguments other than items have room for 256 bytes and 16 of them";

    // Keys.
    FULL = "non scaling filter is full";
    TOO_LARGE = "operation exceeds bloom object memory limit: %f bytes free, needs %d";

    // Options.
    CANNOT_EXPAND = "Nonscaling filters cannot expand";
    RATE_RANGE = "(0 < error rate range < 1)";
    CAPACITY_RANGE = "(capacity should be larger than 0)";

    // Bloom filters.
    TELL = "tell 1 when the item was there, or 0";
    INVALID_INFORMATION = "Invalid information value";

    // Other kinds of keys.
    @FAMILIES GENERATIONS = "generations must be from 2 to 32";

    // Dumps.
    @DUMPS BAD_CURSOR = "the cursor does not follow the last chunk, or the key has changed; begin at 0";
    @DUMPS KEY_CHANGED = "the key has changed since its dump began; begin at 0";
    @DUMPS BAD_CHUNK = "the chunk does not follow the last; begin with the first, whose cursor is 1";
    @DUMPS FIXED_DAMAGED = "the snapshot's payload is damaged; `clear` the key, which took it, and load again";

    // For people.
    NO_COMMAND = "no such command; `help` lists them";
    PLAN_WHAT = "how many items, and at what rate? As in `plan 26000 1%%`";
    NO_PLAN = "no filter of up to 4 MiB does that: fewer items or a higher rate";

    // About the device.
    NO_SUBCOMMAND = "unknown subcommand '%1', or not what goes with it; try `help %0`";
    BAD_DATABASE = "DB index is out of range";

    // Why a snapshot is not loaded.
    @DUMPS SNAPSHOT_TRUNCATED = SnapshotError::Truncated.as_str();
    @DUMPS SNAPSHOT_TOO_LONG = SnapshotError::TooLong.as_str();
    @DUMPS SNAPSHOT_MAGIC = SnapshotError::Magic.as_str();
    @DUMPS SNAPSHOT_VERSION = SnapshotError::Version.as_str();
    @DUMPS SNAPSHOT_HEADER = SnapshotError::HeaderChecksum.as_str();
    @DUMPS SNAPSHOT_KIND = SnapshotError::Kind.as_str();
    @DUMPS SNAPSHOT_HASH = SnapshotError::Hash.as_str();
    @DUMPS SNAPSHOT_GEOMETRY = SnapshotError::Geometry.as_str();
    @DUMPS SNAPSHOT_SEED = SnapshotError::Seed.as_str();
    @DUMPS SNAPSHOT_ENCODING = SnapshotError::Encoding.as_str();
    @DUMPS SNAPSHOT_LENGTH = SnapshotError::Length.as_str();
    @DUMPS SNAPSHOT_STATE = SnapshotError::State.as_str();
    @DUMPS SNAPSHOT_PAYLOAD = SnapshotError::PayloadChecksum.as_str();

    // Saves in flash.
    @SAVES NO_STORE = "this board has no flash to save to";
    @SAVES SAVE_RUNS = "a save is running; SUNDEW.LASTSAVE tells when it is done";
    @SAVES FLASH_READ = "flash cannot be read at %N";
    @SAVES FLASH_WRITE = "flash cannot be written at %N";
    @SAVES FLASH_ERASE = "flash cannot be erased at %N";
    @SAVES FLASH_WORN = "flash is worn out at %N";
    @SAVES FLASH_FULL = "the flash has no room for all keys";
    @SAVES FLASH_CHANGED = "a key changed while it was saved; save again";
    @SAVES FLASH_NOT_READY = "the flash is not ready";

    // Not an error of the class ERR.
    LAST_ERROR = "";
    // For each face.
    NULLS = "$-1,_,(nil)";
    WELCOME = "\nsundew: `help` lists the commands, Tab completes\n";

    // Keys.
    @FAMILIES WRONG_TYPE = "WRONGTYPE Operation against a key holding the wrong kind of value";
    @FAMILIES BARE_NOT_FOUND = "Not found";
    BLOOM_TYPE = "MBbloom--";
    @FAMILIES CUCKOO_TYPE = "MBbloomCF";
    @FAMILIES COUNT_MIN_TYPE = "CMSk-TYPE";
    @FAMILIES HYPER_LOG_LOG_TYPE = "string";
    @FAMILIES COUNTING_TYPE = "sundewCBF";
    @FAMILIES ROTATING_TYPE = "sundewRBF";

    // Options.
    BLOOM_OPTIONS = "CAPACITY ERROR EXPANSION NOCREATE NONSCALING";
    @FAMILIES CUCKOO_OPTIONS = "BUCKETSIZE MAXITERATIONS EXPANSION";
    @FAMILIES ROTATING_OPTIONS = "EVERY AFTER";
    SCAN_OPTIONS = "MATCH COUNT TYPE";

    // Answers to items, yes and no.
    @FAMILIES REMOVED = "removed,not there";
    @FAMILIES ADDED = "added,there already";

    // Bloom filters.
    BLOOM_FIELDS = "Capacity,Size,Number of filters,Number of items inserted,Expansion rate";
    BLOOM_FIELD_WORDS = "CAPACITY SIZE FILTERS ITEMS EXPANSION";
    DEBUG_STAGE = "bytes:%N bits:%N hashes:%N hashwidth:32 capacity:%N size:%N ratio:0.5";

    // Other kinds of keys.
    @FAMILIES CUCKOO_FULL = "Filter is full";
    @FAMILIES CUCKOO_FIELDS = "Size,Number of buckets,Number of filters,Number of items inserted,Number of items deleted,Bucket size,Expansion rate,Max iterations";
    @FAMILIES CMS_EXISTS = "CMS: key already exists";
    @FAMILIES CMS_NOT_FOUND = "CMS: key does not exist";
    @FAMILIES CMS_OVERFLOW = "CMS: INCRBY overflow";
    @FAMILIES CMS_NO_NUMBER = "CMS: Cannot parse number";
    @FAMILIES CMS_PROBABILITY = "CMS: invalid overestimation or probability value";
    @FAMILIES CMS_NUMBER_OF_KEYS = "CMS: invalid numkeys";
    @FAMILIES CMS_KEYS_AND_WEIGHTS = "CMS: wrong number of keys/weights";
    @FAMILIES CMS_NOT_EQUAL = "CMS: width/depth is not equal";
    @FAMILIES CMS_WEIGHT = "CMS: invalid weight value";
    @FAMILIES CMS_FIELDS = "width,depth,count";
    @FAMILIES COUNTING_FIELDS = "Capacity,Size,Number of items";
    @FAMILIES ROTATING_FIELDS = "Generations,Size,Items in the newest,After items,Every seconds";

    // For people.
    LINE_END = "\n";
    HELP_END = "and Redis's BF.*, KEYS, INFO ...; help BF.ADD says how";
    LOOKUPS = "\nSUNDEW.ASK: %G answered here, %G sent on, of which %G were not there";
    STATS = "  [%B] %G of %G items, %G bytes\n  about %G different by its bits; wrong for %P now, %P when full";
    @FAMILIES STATS_OF_OTHERS = "  %T, %G items, %G bytes";
    NEARLY_FULL = "\n  warning: past 90 %% of its capacity";
    NEARLY_FULL_FIXED = "; clear it, or reserve a larger one";
    FILL = "bits set in a block of 512, and how many blocks";
    PLAN = "%G bytes in %G blocks, %N bits per item; wrong for %P when full (a classic filter: %G bytes)";
    BENCH = "%N ns for one lookup of 80 bytes, hash included (1000 of them, %N found)";

    // About the device.
    VERSION = concat!("sundew ", env!("CARGO_PKG_VERSION"));
    NO_PROTOCOL = "NOPROTO unsupported protocol version";
    CLIENT_WORDS = "GETNAME ID SETINFO SETNAME NO-EVICT NO-TOUCH";
    COMMAND_WORDS = "COUNT DOCS";
    FLUSH_WORDS = "ASYNC SYNC";
    CONFIG_WORDS = "save appendonly";

    // The Redis whose replies these are, for clients that choose by version.
    HELLO = "server,redis,version,7.4.0,proto";
    HELLO_REST = "mode,standalone,role,master,modules";
    SINCE = concat!("since,", env!("CARGO_PKG_VERSION"), ",group,sundew");
    INFO = concat!(
        "# Server\nredis_version:7.4.0\nredis_mode:standalone\narch_bits:32\nsundew_version:",
        env!("CARGO_PKG_VERSION"),
        "\nboard:%m\nreset_reason:%r\nboot_count:%N\nuptime_in_seconds:%N\ntotal_commands_processed:%N\n",
        "rx_bytes_lost:%N\nstatic_ram_bytes:%N\narena_bytes:%N\narena_used_bytes:%N\narena_free_bytes:%f\n",
        "stack_high_water_bytes:%N\ncluster_enabled:0\n# Keyspace\ndb0:keys=%N,expires=0\n",
    );
    INFO_KEY = "key_%I:items=%N,capacity=%N,bytes=%N,full=%P,rate=%P\n";
    @FAMILIES INFO_OTHER_KEY = "key_%I:type=%T,items=%N,bytes=%N\n";
    INFO_LOOKUPS = "# Lookups\nlookups_answered:%N\nlookups_sent_on:%N\nlookups_corrected:%N\n";

    // Saves in flash.
    @SAVES SAVE_STARTED = "Background saving started";
    @SAVES SAVE_FIELDS = "sequence,stamp,records,bytes,saving,error";
    @SAVES INFO_SAVES = "# Persistence\nsave_sequence:%N\nsave_in_progress:%N\nsave_error:%T\n";
}

/// A text of no bytes.
#[cfg(feature = "shell-saves")]
pub(super) const NOTHING: Text = Text::at(0);

/// Why a snapshot is not loaded.
#[cfg(feature = "shell-saves")]
pub(super) fn of_snapshot_error(error: SnapshotError) -> Text {
    match error {
        SnapshotError::Truncated => SNAPSHOT_TRUNCATED,
        SnapshotError::TooLong => SNAPSHOT_TOO_LONG,
        SnapshotError::Magic => SNAPSHOT_MAGIC,
        SnapshotError::Version => SNAPSHOT_VERSION,
        SnapshotError::HeaderChecksum => SNAPSHOT_HEADER,
        SnapshotError::Kind => SNAPSHOT_KIND,
        SnapshotError::Hash => SNAPSHOT_HASH,
        SnapshotError::Geometry => SNAPSHOT_GEOMETRY,
        SnapshotError::Seed => SNAPSHOT_SEED,
        SnapshotError::Encoding => SNAPSHOT_ENCODING,
        SnapshotError::Length => SNAPSHOT_LENGTH,
        SnapshotError::PayloadChecksum => SNAPSHOT_PAYLOAD,
        // The others are about what the console does not do.
        _ => SNAPSHOT_STATE,
    }
}
