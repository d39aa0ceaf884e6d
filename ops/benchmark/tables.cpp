// Tables of measurements: as text like PyTorch's, as Markdown, as JSON.
#include "ops/benchmark/format.hpp"
#include "runtime/base/fail.hpp"

#include <sinter/benchmark.hpp>
#include <sinter/error.hpp>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <tuple>

namespace sinter::inline v1::benchmark {
namespace {

using benchmark_text::fixed, benchmark_text::shortest;

const std::string& row_name(const Measurement& m) {
    const TaskSpec& s = m.task_spec();
    return s.sub_label.empty() ? s.stmt : s.sub_label;
}
std::string env_name(const Measurement& m) {
    return m.task_spec().env.empty() ? "Unspecified env" : m.task_spec().env;
}

template <class T>
std::size_t place_of(std::vector<T>& all, const T& value) {
    const auto found = std::find(all.begin(), all.end(), value);
    if (found != all.end()) return static_cast<std::size_t>(found - all.begin());
    all.push_back(value);
    return all.size() - 1;
}

struct row_key {
    int threads;
    std::string env, name;
    bool operator==(const row_key&) const = default;
};
row_key key_of(const Measurement& m) {
    return {m.task_spec().num_threads, env_name(m), row_name(m)};
}

struct table_row : row_key {
    std::vector<const Measurement*> cells;  // null: not measured
};

/// The measurements of a label, in rows and columns.
struct table {
    std::string label;
    benchmark_text::unit unit;
    bool several_envs = false;
    std::vector<std::string> columns;
    std::vector<table_row> rows;
};

table table_of(const std::vector<const Measurement*>& all) {
    table t{all[0]->task_spec().label, {}, false, {}, {}};
    double least = std::numeric_limits<double>::infinity();
    std::vector<row_key> keys;
    for (const Measurement* m : all) {
        least = std::min(least, m->median());
        t.several_envs |= m->task_spec().env != all[0]->task_spec().env;
        place_of(t.columns, m->task_spec().description);
        place_of(keys, key_of(*m));
    }
    t.unit = benchmark_text::unit_for(least);
    // Rows of one number of threads and one environment stay in the order of the measurements.
    const auto before = [](const row_key& a, const row_key& b) {
        return std::tie(a.threads, a.env) < std::tie(b.threads, b.env);
    };
    std::vector<row_key> sorted;
    for (const row_key& k : keys)
        sorted.insert(std::upper_bound(sorted.begin(), sorted.end(), k, before), k);
    keys = std::move(sorted);
    for (const row_key& k : keys)
        t.rows.push_back({k, std::vector<const Measurement*>(t.columns.size(), nullptr)});
    for (const Measurement* m : all) {
        const auto row = place_of(keys, key_of(*m));
        t.rows[row].cells[place_of(t.columns, m->task_spec().description)] = m;
    }
    return t;
}

/// Groups by label, in the order in which labels come.
std::vector<table> tables_of(const std::vector<Measurement>& all) {
    std::vector<std::string> labels;
    std::vector<std::vector<const Measurement*>> groups;
    for (const Measurement& m : all) {
        const std::size_t at = place_of(labels, m.task_spec().label);
        if (at == groups.size()) groups.emplace_back();
        groups[at].push_back(&m);
    }
    std::vector<table> tables;
    for (const auto& group : groups) tables.push_back(table_of(group));
    return tables;
}

int leading_digits(double value) {
    return value > 0 ? static_cast<int>(std::ceil(std::log10(value))) : 0;
}

double rounded_to(double value, int figures) {
    const double scale = std::pow(10.0, leading_digits(value) - figures);
    return std::round(value / scale) * scale;
}

/// How the numbers of a column are written.
class column_format {
public:
    column_format(const table& t, std::size_t column, bool trims, bool highlights)
        : unit_(t.unit), trims_(trims) {
        int leading = std::numeric_limits<int>::min(), behind = std::numeric_limits<int>::max();
        for (const table_row& row : t.rows) {
            const Measurement* m = row.cells[column];
            if (!m) continue;
            const int digits = leading_digits(m->median() / unit_.seconds);
            leading = std::max(leading, digits);
            behind = std::min(behind, std::max(m->significant_figures() - digits, 0));
            warns_ |= highlights && m->has_warnings();
        }
        decimals_ = trims ? behind : 1;
        width_ = static_cast<std::size_t>(std::max(leading + decimals_ + (decimals_ > 0), 0));
    }

    /// Returns the number without padding.
    std::string plain(const Measurement& m) const {
        const double value = m.median() / unit_.seconds;
        return fixed(trims_ ? rounded_to(value, m.significant_figures()) : value, decimals_);
    }
    /// Returns the share of the spread, or nothing.
    std::string warning(const Measurement& m) const {
        if (!warns_ || !m.has_warnings()) return "";
        return " (! " + fixed(100 * m.iqr() / m.median(), 0) + "%)";
    }
    std::string padded(const Measurement* m) const {
        constexpr std::size_t warning_width = 7;
        const std::string number = m ? plain(*m) : "";
        return benchmark_text::right(number, width_) +
               (warns_ ? benchmark_text::right(m ? warning(*m) : "", warning_width) : "");
    }

private:
    benchmark_text::unit unit_;
    bool trims_, warns_ = false;
    int decimals_ = 1;
    std::size_t width_ = 0;
};

std::vector<column_format> formats_of(const table& t, bool trims, bool highlights) {
    std::vector<column_format> all;
    for (std::size_t c = 0; c < t.columns.size(); ++c) all.emplace_back(t, c, trims, highlights);
    return all;
}

/// Returns the text in a colour that says how far the time is from the best.
std::string coloured(const std::string& text, double time, double best) {
    constexpr double too_little = 100e-9;  // seconds that do not count
    const char* colour = nullptr;
    if (time <= best * 1.01 || time <= best + too_little)
        colour = "\033[92m\033[1m";
    else if (time <= best * 1.1)
        colour = "\033[34m\033[1m";
    else if (time >= best * 5)
        colour = "\033[31m\033[1m";
    else if (time >= best * 2)
        colour = "\033[2m\033[91m";
    return colour ? colour + text + "\033[0m\033[0m" : text;
}

double least_of(const std::vector<const Measurement*>& cells) {
    double least = std::numeric_limits<double>::infinity();
    for (const Measurement* m : cells)
        if (m) least = std::min(least, m->median());
    return least;
}

/// The least time in a column among the rows of as many threads.
double best_in_column(const table& t, std::size_t column, int threads) {
    std::vector<const Measurement*> cells;
    for (const table_row& row : t.rows)
        if (row.threads == threads) cells.push_back(row.cells[column]);
    return least_of(cells);
}

/// Returns the names of the rows. An environment stands where it changes.
std::vector<std::string> row_titles(const table& t) {
    std::size_t width = 0;
    if (t.several_envs)
        for (const table_row& row : t.rows) width = std::max(width, row.env.size());
    std::vector<std::string> titles;
    const table_row* before = nullptr;
    for (const table_row& row : t.rows) {
        const bool same = before && before->threads == row.threads && before->env == row.env;
        const std::string env = t.several_envs && !same ? "(" + row.env + ")" : "";
        titles.push_back("  " + benchmark_text::left(env, width + 4) + row.name);
        before = &row;
    }
    return titles;
}

std::string escaped(const std::string& text, bool json) {
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (!json) {
            if (c == '|') out += '\\';
            out += c == '\n' ? ' ' : c;
        } else if (byte < 0x20) {
            constexpr char digits[] = "0123456789abcdef";
            out += std::string("\\u00") + digits[byte >> 4] + digits[byte & 15];
        } else {
            if (c == '"' || c == '\\') out += '\\';
            out += c;
        }
    }
    return out;
}

/// Fields of a JSON object, in their order.
class json_object {
public:
    json_object& text(const char* name, const std::string& value) {
        return raw(name, value.empty() ? "null" : '"' + escaped(value, true) + '"');
    }
    json_object& number(const char* name, double value) { return raw(name, shortest(value)); }
    json_object& whole(const char* name, int64_t value) { return raw(name, std::to_string(value)); }
    json_object& raw(const char* name, const std::string& value) {
        out_ += (out_.empty() ? "{\"" : ", \"") + std::string(name) + "\": " + value;
        return *this;
    }
    std::string end() const { return out_ + "}"; }

private:
    std::string out_;
};

std::string json_of(const Measurement& m) {
    const TaskSpec& s = m.task_spec();
    const Circumstances& c = m.circumstances();
    std::string times;
    for (const double t : m.times()) times += (times.empty() ? "" : ", ") + shortest(t);
    json_object o;
    o.text("stmt", s.stmt).text("label", s.label).text("sub_label", s.sub_label);
    o.text("description", s.description).text("env", s.env).whole("num_threads", s.num_threads);
    o.number("median_s", m.median()).number("mean_s", m.mean()).number("iqr_s", m.iqr());
    o.whole("significant_figures", m.significant_figures());
    o.raw("has_warnings", m.has_warnings() ? "true" : "false");
    o.raw("settled", c.settled ? "true" : "false");
    o.raw("first_call_s", c.first_call ? shortest(*c.first_call) : "null");
    o.raw("bytes", c.bytes > 0 ? std::to_string(c.bytes) : "null");
    o.raw("triad_bytes_per_s", c.triad_rate ? shortest(*c.triad_rate) : "null");
    const auto count = [&](const char* name, uint64_t stats_report::* counter) {
        o.raw(name, c.call ? std::to_string((*c.call).*counter) : "null");
    };
    count("kernels_per_call", &stats_report::kernels_launched);
    count("library_calls_per_call", &stats_report::library_calls);
    count("bytes_allocated_per_call", &stats_report::bytes_allocated);
    o.raw("times_s", "[" + times + "]");
    return o.end();
}

void require_some(const std::vector<Measurement>& results) {
    if (results.empty())
        runtime::fail("Compare", "there is nothing to show", "0 measurements",
                      "1 measurement or more", "extend_results() first");
}

}  // namespace

void Compare::extend_results(const std::vector<Measurement>& results) {
    results_.insert(results_.end(), results.begin(), results.end());
}

std::string Compare::to_string() const {
    require_some(results_);
    const std::vector<Measurement> merged = Measurement::merge(results_);
    const char* const between = "  |  ";
    std::string out;
    for (const table& t : tables_of(merged)) {
        const std::vector<column_format> formats = formats_of(t, trims_, highlights_);
        const std::vector<std::string> titles = row_titles(t);
        std::vector<std::size_t> widths(1 + t.columns.size());
        bool warns = false;
        for (std::size_t r = 0; r < t.rows.size(); ++r) {
            widths[0] = std::max(widths[0], titles[r].size());
            for (std::size_t c = 0; c < t.columns.size(); ++c) {
                const Measurement* m = t.rows[r].cells[c];
                widths[c + 1] =
                    std::max({widths[c + 1], t.columns[c].size(), formats[c].padded(m).size()});
                warns |= highlights_ && m && m->has_warnings();
            }
        }
        std::string heading(widths[0], ' ');
        for (std::size_t c = 0; c < t.columns.size(); ++c)
            heading += between + benchmark_text::centred(t.columns[c], widths[c + 1]);
        const std::size_t width = heading.size();
        if (!out.empty()) out += '\n';
        out +=
            "[" +
            benchmark_text::centred(" " + t.label + " ", std::max<std::size_t>(width, 2) - 2, '-') +
            "]\n" + heading + '\n';
        for (std::size_t r = 0; r < t.rows.size(); ++r) {
            const table_row& row = t.rows[r];
            if (r == 0 || t.rows[r - 1].threads != row.threads)
                out +=
                    benchmark_text::left(std::to_string(row.threads) + " threads: ", width, '-') +
                    '\n';
            out += benchmark_text::left(titles[r], widths[0]);
            for (std::size_t c = 0; c < t.columns.size(); ++c) {
                const Measurement* m = row.cells[c];
                const std::string cell =
                    benchmark_text::centred(formats[c].padded(m), widths[c + 1]);
                const bool plain = colours_ == colours::none || !m;
                out += between + (plain ? cell
                                        : coloured(cell, m->median(),
                                                   colours_ == colours::by_row
                                                       ? least_of(row.cells)
                                                       : best_in_column(t, c, row.threads)));
            }
            out += '\n';
        }
        out += std::string("\nTimes are in ") + t.unit.word + " (" + t.unit.symbol + ").\n";
        if (warns)
            out += "(! XX%) Measurement has high variance, where XX is the IQR / median * 100.\n";
    }
    return out;
}

std::string Compare::to_markdown() const {
    require_some(results_);
    const std::vector<Measurement> merged = Measurement::merge(results_);
    std::string out;
    for (const table& t : tables_of(merged)) {
        const std::vector<column_format> formats = formats_of(t, trims_, highlights_);
        if (!out.empty()) out += '\n';
        if (!t.label.empty()) out += "**" + escaped(t.label, false) + "** ";
        out +=
            std::string("(times in ") + t.unit.word + ", " + t.unit.symbol + ")\n\n| threads | |";
        for (const std::string& c : t.columns) out += " " + escaped(c, false) + " |";
        out += "\n|---:|:---|";
        for (std::size_t c = 0; c < t.columns.size(); ++c) out += "---:|";
        for (const table_row& row : t.rows) {
            out += "\n| " + std::to_string(row.threads) + " | " +
                   (t.several_envs ? "(" + escaped(row.env, false) + ") " : "") +
                   escaped(row.name, false) + " |";
            for (std::size_t c = 0; c < t.columns.size(); ++c) {
                const Measurement* m = row.cells[c];
                out += m ? " " + formats[c].plain(*m) + formats[c].warning(*m) + " |" : " |";
            }
        }
        out += '\n';
    }
    return out;
}

std::string Compare::to_json() const {
    require_some(results_);
    std::string out;
    for (const Measurement& m : Measurement::merge(results_))
        out += (out.empty() ? "[" : ",\n ") + json_of(m);
    return out + "]\n";
}

void Compare::print() const { std::cout << to_string() << std::flush; }

std::ostream& operator<<(std::ostream& out, const Compare& c) { return out << c.to_string(); }

}  // namespace sinter::inline v1::benchmark
