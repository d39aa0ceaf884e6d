// The operations of Python's Lib/pickletools.py that protocol 2 has and tensors need.
#include "ops/io/pickle.hpp"

#include "runtime/base/fail.hpp"

#include <cstring>
#include <map>

namespace sinter::ops {
namespace {

using kind = pickle_value::kind;

class reader {
public:
    reader(const char* op, const std::string& where, std::string_view bytes,
           bool (*allowed)(const std::string&), std::deque<pickle_value>& values)
        : op_(op), where_(where), bytes_(bytes), allowed_(allowed), values_(values) {}

    const pickle_value* run() {
        if (take(1)[0] != '\x80' || number(1) > 5) damaged("other first bytes than a pickle");
        for (;;) {
            const char code = take(1)[0];
            if (code == '.') break;
            step(code);
        }
        pickle_value* root = pop();
        if (!stack_.empty() || at_ != bytes_.size()) damaged("values that belong to nothing");
        return root;
    }

private:
    [[noreturn]] void damaged(const std::string& got) const {
        runtime::fail<ValueError>(op_, "the pickle is damaged", where_ + ": " + got,
                                  "what torch.save writes", "saving the file again");
    }
    [[noreturn]] void refuse(const std::string& got) const {
        runtime::fail<ValueError>(
            op_, "the file holds an object that is no tensor", where_ + ": " + got,
            "tensors, numbers, text, dicts, lists and tuples, since nothing else is read",
            "saving a dict of tensors, such as a module's state_dict()");
    }

    // ---- bytes
    std::string_view take(std::size_t n) {
        if (bytes_.size() - at_ < n) damaged("an end within a value");
        at_ += n;
        return bytes_.substr(at_ - n, n);
    }
    uint64_t number(std::size_t bytes) {
        uint64_t n = 0;
        std::memcpy(&n, take(bytes).data(), bytes);
        return n;
    }
    std::string line() {
        const std::size_t end = bytes_.find('\n', at_);
        if (end == std::string_view::npos) damaged("an end within a name");
        const std::string_view text = take(end - at_);
        take(1);
        return std::string(text);
    }

    // ---- the stack
    pickle_value* make(kind is) {
        if (values_.size() == pickle::most_values)
            runtime::fail<ValueError>(op_, "the file has too many values",
                                      runtime::text(where_, ": more than ", pickle::most_values),
                                      "fewer values", "several files");
        values_.push_back({});
        values_.back().is = is;
        return &values_.back();
    }
    void push(pickle_value* v) { stack_.push_back(v); }
    void push_integer(int64_t n, kind is = kind::integer) {
        pickle_value* v = make(is);
        v->integer = n;
        push(v);
    }
    std::size_t bottom() const { return marks_.empty() ? 0 : marks_.back(); }
    pickle_value* pop() {
        pickle_value* v = top();
        stack_.pop_back();
        return v;
    }
    pickle_value* top() {
        if (stack_.size() <= bottom()) damaged("an operation without its values");
        return stack_.back();
    }
    std::vector<const pickle_value*> pop_to_mark() {
        if (marks_.empty()) damaged("an end without a beginning");
        std::vector<const pickle_value*> items(
            stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back()), stack_.end());
        stack_.resize(marks_.back());
        marks_.pop_back();
        return items;
    }
    void push_tuple(std::size_t n) {
        pickle_value* t = make(kind::tuple);
        t->items.resize(n);
        for (std::size_t i = n; i-- > 0;) t->items[i] = pop();
        push(t);
    }
    void append(kind to, const std::vector<const pickle_value*>& items) {
        pickle_value* v = top();
        if (v->is != to || (to == kind::dict && items.size() % 2 != 0))
            damaged("elements that belong to nothing");
        v->items.insert(v->items.end(), items.begin(), items.end());
    }

    // ---- operations
    void push_global() {
        const std::string module = line();
        pickle_value* v = make(kind::global);
        v->text = module + "." + line();
        if (!allowed_(v->text)) refuse(v->text);
        push(v);
    }
    void call() {
        const pickle_value* arguments = pop();
        const pickle_value* function = pop();
        if (arguments->is != kind::tuple || function->is != kind::global)
            damaged("a call of something else than a function");
        if (function->text == "collections.OrderedDict") {
            if (!arguments->items.empty()) refuse("an OrderedDict with arguments");
            return push(make(kind::dict));
        }
        pickle_value* v = make(kind::call);
        v->items = {function, arguments};
        push(v);
    }
    /// What is set on an object after it is made. Modules note their versions so, in a dict.
    void build() {
        pop();
        if (top()->is != kind::dict) refuse("an object with attributes");
    }
    void push_long() {
        const auto n = static_cast<std::size_t>(number(1));
        if (n > 8) refuse("an integer of more than 64 bits");
        uint64_t bits = 0;
        const std::string_view digits = take(n);
        std::memcpy(&bits, digits.data(), n);
        if (n > 0 && n < 8 && (digits[n - 1] & 0x80)) bits |= ~uint64_t{0} << 8 * n;
        push_integer(static_cast<int64_t>(bits));
    }
    void push_real() {
        double d = 0;
        const uint64_t bits = __builtin_bswap64(number(8));
        std::memcpy(&d, &bits, sizeof d);
        pickle_value* v = make(kind::real);
        v->real = d;
        push(v);
    }
    void remember(uint64_t number) { memo_[number] = top(); }
    void recall(uint64_t number) {
        const auto found = memo_.find(number);
        if (found == memo_.end()) damaged("a value that was never remembered");
        push(found->second);
    }
    void step(char code) {
        switch (code) {
            case '(': return marks_.push_back(stack_.size());
            case 'N': return push(make(kind::none));
            case '\x88': return push_integer(1, kind::boolean);
            case '\x89': return push_integer(0, kind::boolean);
            case 'J': return push_integer(static_cast<int32_t>(number(4)));
            case 'K': return push_integer(static_cast<int64_t>(number(1)));
            case 'M': return push_integer(static_cast<int64_t>(number(2)));
            case '\x8a': return push_long();
            case 'G': return push_real();
            case 'X': {
                pickle_value* v = make(kind::text);
                v->text = take(static_cast<std::size_t>(number(4)));
                return push(v);
            }
            case ')': return push_tuple(0);
            case '\x85': return push_tuple(1);
            case '\x86': return push_tuple(2);
            case '\x87': return push_tuple(3);
            case 't': {
                pickle_value* v = make(kind::tuple);
                v->items = pop_to_mark();
                return push(v);
            }
            case ']': return push(make(kind::list));
            case '}': return push(make(kind::dict));
            case 'a': {
                const pickle_value* v = pop();
                return append(kind::list, {v});
            }
            case 'e': {
                const auto items = pop_to_mark();
                return append(kind::list, items);
            }
            case 's': {
                const pickle_value* v = pop();
                const pickle_value* key = pop();
                return append(kind::dict, {key, v});
            }
            case 'u': {
                const auto items = pop_to_mark();
                return append(kind::dict, items);
            }
            case 'q': return remember(number(1));
            case 'r': return remember(number(4));
            case 'h': return recall(number(1));
            case 'j': return recall(number(4));
            case 'c': return push_global();
            case 'R': return call();
            case 'b': return build();
            case 'Q': {
                const pickle_value* id = pop();
                pickle_value* v = make(kind::persistent);
                v->items = {id};
                return push(v);
            }
            default:
                refuse(runtime::text("the operation ", int{static_cast<unsigned char>(code)},
                                     " at byte ", at_ - 1));
        }
    }

    const char* op_;
    const std::string& where_;
    std::string_view bytes_;
    bool (*allowed_)(const std::string&);
    std::deque<pickle_value>& values_;
    std::size_t at_ = 0;
    std::vector<pickle_value*> stack_;
    std::vector<std::size_t> marks_;
    std::map<uint64_t, pickle_value*> memo_;
};

}  // namespace

pickle::pickle(const char* op, const std::string& where, std::string_view bytes,
               bool (*allowed)(const std::string& global)) {
    root_ = reader(op, where, bytes, allowed, values_).run();
}

pickle_text::pickle_text() : bytes_("\x80\x02") {}

pickle_text& pickle_text::integer(int64_t n) {
    const bool narrow = n == static_cast<int32_t>(n);
    bytes_ += narrow ? "J" : "\x8a\x08";
    bytes_.append(reinterpret_cast<const char*>(&n), narrow ? 4 : 8);
    return *this;
}

pickle_text& pickle_text::text(std::string_view s) {
    const auto n = static_cast<uint32_t>(s.size());
    bytes_ += 'X';
    bytes_.append(reinterpret_cast<const char*>(&n), sizeof n);
    bytes_ += s;
    return *this;
}

pickle_text& pickle_text::global(std::string_view module, std::string_view name) {
    bytes_ += 'c';
    ((bytes_ += module) += '\n') += name;
    bytes_ += '\n';
    return *this;
}

}  // namespace sinter::ops
