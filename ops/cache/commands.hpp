// The commands of `sinter cache`.
#pragma once

#include "ops/cache/report.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace sinter::cache_command {

/// A command line, taken apart.
struct arguments {
    std::vector<std::string> paths;    // what is no option: places, or a name before them
    std::string output;                // -o
    std::vector<std::string> targets;  // --targets, separated by commas
    std::vector<std::string> program;  // what follows --
    std::vector<std::string> dtypes;   // --dtypes, separated by commas
    std::vector<std::string> against;  // --against, each time it is given
    std::string key;                   // --key: the file of a secret key
    int require = 0;                   // --require: the least coverage, in percent
    int jobs = 0;                      // -j; 0: as many as threads
    bool json = false, dry_run = false, run = false, counts = false;
    bool widen = false;  // --widen: kernels for other sizes and layouts, too
};

struct answer {
    std::vector<record> records;
    std::string closing;      // a line for people, below the table; not in JSON
    bool paragraphs = false;  // a line for each field, instead of a table
    int status = 0;
};

// Each throws Error, of which the message is printed.
answer record_program(const arguments& a);
answer build_pack(const arguments& a);
answer probe(const arguments& a);
answer base(const arguments& a);
answer coverage(const arguments& a);
answer harvest(const arguments& a);
answer list(const arguments& a);
answer show(const arguments& a);
answer extract(const arguments& a);
answer verify(const arguments& a);
answer merge(const arguments& a);
answer prune(const arguments& a);
answer doctor(const arguments& a);
answer why(const arguments& a);
answer clear(const arguments& a);
answer keys(const arguments& a);
answer sign(const arguments& a);

}  // namespace sinter::cache_command
