// The statements of programs.py. A statement whose name ends with an underscore writes.
#include "tests/golden/call.hpp"
#include "tests/golden/program_machine.hpp"

#include <cstring>
#include <map>
#include <sstream>

namespace sinter::golden {
namespace {

using machine = program_machine;
using statement_table = std::map<std::string, statement_function>;

#define SINTER_DO(name, ...) table[#name] = [](machine& m) { __VA_ARGS__; }
#define SINTER_PUT(name, ...) table[#name] = [](machine& m) { m.put(__VA_ARGS__); }

void add_new_values(statement_table& table) {
    SINTER_PUT(make, make({m.dtype(0), m.list(1), 'm', m.n(2)}));
    SINTER_PUT(blob, m.blob(m.dtype(0), m.list(1), m.list(2), m.n(3)));
    SINTER_PUT(arange, arange(m.n(1), m.dtype(0)));
    SINTER_PUT(full, full(m.list(1), m.s(2), m.dtype(0)));
    SINTER_PUT(zeros, zeros(m.list(1), m.dtype(0)));
}

void add_views(statement_table& table) {
    SINTER_PUT(alias, m.t(0));
    SINTER_PUT(permute, m.t(0).permute(m.list(1)));
    SINTER_PUT(transpose, m.t(0).transpose(m.n(1), m.n(2)));
    SINTER_PUT(slice, m.t(0).slice(m.n(1), m.n(2), m.n(3), m.n(4)));
    SINTER_PUT(select, m.t(0).select(m.n(1), m.n(2)));
    SINTER_PUT(expand, m.t(0).expand(m.list(1)));
    SINTER_PUT(squeeze, m.t(0).squeeze());
    SINTER_PUT(unsqueeze, m.t(0).unsqueeze(m.n(1)));
    SINTER_PUT(diagonal, m.t(0).diagonal(m.n(1), m.n(2), m.n(3)));
    SINTER_PUT(unfold, m.t(0).unfold(m.n(1), m.n(2), m.n(3)));
    SINTER_PUT(as_strided, m.t(0).as_strided(m.list(1), m.list(2), m.n(3)));
    SINTER_PUT(view, m.t(0).view(m.list(1)));
    SINTER_PUT(reshape, m.t(0).reshape(m.list(1)));
    SINTER_PUT(flatten, m.t(0).flatten());
    SINTER_PUT(detach, m.t(0).detach());
    SINTER_PUT(contiguous, m.t(0).contiguous());
    SINTER_PUT(index_at, m.t(0).index({Ellipsis, m.n(1)}));
}

void add_moves(statement_table& table) {
    SINTER_PUT(clone, m.t(0).clone());
    SINTER_PUT(flip, m.t(0).flip(m.list(1)));
    SINTER_PUT(roll, m.t(0).roll({m.n(1)}, {m.n(2)}));
    SINTER_PUT(cat, cat({m.t(0), m.t(1)}, m.n(2)));
    SINTER_PUT(stack, stack({m.t(0), m.t(1)}, m.n(2)));
    SINTER_PUT(repeat, m.t(0).repeat(m.list(1)));
    SINTER_PUT(triu, m.t(0).triu(m.n(1)));
    SINTER_PUT(to, m.t(0).to(m.dtype(1)));
}

#define SINTER_ONE(name) SINTER_PUT(name, name(m.t(0)));
#define SINTER_TWO(name) SINTER_DO(name, m.with(1, [&](const auto& b) { m.put(name(m.t(0), b)); }));
#define SINTER_TENSORS(name) SINTER_PUT(name, name(m.t(0), m.t(1)));

void add_pointwise(statement_table& table) {
    SINTER_ONE(neg)
    SINTER_ONE(abs)
    SINTER_ONE(sqrt)
    SINTER_ONE(square)
    SINTER_ONE(reciprocal)
    SINTER_ONE(floor)
    SINTER_ONE(ceil)
    SINTER_ONE(trunc)
    SINTER_ONE(round)
    SINTER_ONE(sign)
    SINTER_ONE(relu)
    SINTER_ONE(isnan)
    SINTER_ONE(logical_not)
    SINTER_ONE(bitwise_not)
    SINTER_TWO(add)
    SINTER_TWO(sub)
    SINTER_TWO(mul)
    SINTER_TWO(div)
    SINTER_TWO(eq)
    SINTER_TWO(ne)
    SINTER_TWO(lt)
    SINTER_TWO(le)
    SINTER_TWO(gt)
    SINTER_TWO(ge)
    SINTER_TWO(bitwise_and)
    SINTER_TWO(bitwise_or)
    SINTER_TWO(bitwise_xor)
    SINTER_TWO(remainder)
    SINTER_TWO(fmod)
    SINTER_TWO(floor_divide)
    SINTER_TENSORS(maximum)
    SINTER_TENSORS(minimum)
    SINTER_TENSORS(logical_and)
    SINTER_TENSORS(logical_or)
    SINTER_PUT(rsub, m.s(1) - m.t(0));
    SINTER_PUT(where, where(m.t(0), m.t(1), m.t(2)));
    SINTER_PUT(masked_fill, m.t(0).masked_fill(m.t(1), m.s(2)));
    SINTER_PUT(clamp, m.t(0).clamp(m.s(1), m.s(2)));
    SINTER_DO(mul_add, m.with(1, [&](const auto& b) {
        m.with(2, [&](const auto& c) { m.put(m.t(0) * b + c); });
    }));
    SINTER_DO(sub_mul, m.with(1, [&](const auto& b) {
        m.with(2, [&](const auto& c) { m.put((m.t(0) - b) * c); });
    }));
    SINTER_DO(named_add, m.put_expression(m.t(0) + m.t(1)));
    SINTER_DO(named_mul, m.put_expression(m.t(0) * m.s(1)));
}

#undef SINTER_ONE
#undef SINTER_TWO
#undef SINTER_TENSORS

void add_reductions_and_orders(statement_table& table) {
    SINTER_PUT(sum, m.t(0).sum(m.list(1), m.flag(2)));
    SINTER_PUT(sum_all, m.t(0).sum());
    SINTER_PUT(mean, m.t(0).mean(m.list(1)));
    SINTER_PUT(prod, m.t(0).prod(m.n(1)));
    SINTER_PUT(amax, m.t(0).amax(m.list(1), m.flag(2)));
    SINTER_PUT(amin, m.t(0).amin(m.list(1), m.flag(2)));
    SINTER_PUT(max, m.t(0).max(m.n(1), m.flag(2)));
    SINTER_PUT(min, m.t(0).min(m.n(1), m.flag(2)));
    SINTER_PUT(argmax, m.t(0).argmax(m.n(1)));
    SINTER_PUT(argmin, m.t(0).argmin(m.n(1)));
    SINTER_PUT(any, m.t(0).any(m.n(1)));
    SINTER_PUT(all, m.t(0).all(m.n(1)));
    SINTER_PUT(count_nonzero, m.t(0).count_nonzero(m.n(1)));
    SINTER_PUT(cumsum, m.t(0).cumsum(m.n(1)));
    SINTER_PUT(cumprod, m.t(0).cumprod(m.n(1)));
    SINTER_PUT(cummax, m.t(0).cummax(m.n(1)));
    SINTER_PUT(sort, m.t(0).sort(true, m.n(1), m.flag(2)));
    SINTER_PUT(topk, std::get<0>(m.t(0).topk(m.n(1), m.n(2))));
    SINTER_PUT(median, std::get<0>(m.t(0).median(m.n(1))));
    SINTER_PUT(unique, std::get<0>(unique(m.t(0))));
    SINTER_PUT(nonzero, m.t(0).nonzero());
    SINTER_PUT(masked_select, m.t(0).masked_select(m.t(1)));
    SINTER_PUT(matmul, matmul(m.t(0), m.t(1)));
    SINTER_PUT(index, m.t(0).index({m.t(1)}));
    SINTER_PUT(index_last, m.t(0).index({Ellipsis, m.t(1)}));
    SINTER_PUT(index_select, m.t(0).index_select(m.n(1), m.t(2)));
    SINTER_PUT(gather, m.t(0).gather(m.n(1), m.t(2)));
    SINTER_PUT(take, m.t(0).take(m.t(1)));
}

#define SINTER_WRITE(name) SINTER_DO(name, m.t(0).name());
#define SINTER_WRITE_ONE(name) SINTER_DO(name, m.with(1, [&](const auto& b) { m.t(0).name(b); }));

/// Writes a number through a pointer that the tensor handed out.
void poke(machine& m) {
    const Tensor& t = m.t(0);
    const Tensor number = full({}, m.s(2), t.scalar_type());
    const std::size_t size = elementSize(t.scalar_type());
    char* at = static_cast<char*>(t.data_ptr()) + static_cast<std::size_t>(m.n(1)) * size;
    std::memcpy(at, number.const_data_ptr(), size);
}

void set_at(machine& m) {
    if (m.is_tensor(2))
        m.t(0)[m.n(1)] = m.t(2);
    else
        m.t(0)[m.n(1)] = m.s(2);
}

void set_slice(machine& m) {
    m.with(3, [&](const auto& v) { m.t(0).index_put_({Slice(m.n(1), m.n(2))}, v); });
}

void add_writes(statement_table& table) {
    SINTER_DO(copy_, m.t(0).copy_(m.t(1)));
    SINTER_DO(fill_, m.t(0).fill_(m.s(1)));
    SINTER_WRITE(zero_)
    SINTER_WRITE(neg_)
    SINTER_WRITE(abs_)
    SINTER_WRITE(sqrt_)
    SINTER_WRITE(square_)
    SINTER_WRITE(relu_)
    SINTER_WRITE(logical_not_)
    SINTER_WRITE(sign_)
    SINTER_WRITE(triu_)
    SINTER_WRITE_ONE(add_)
    SINTER_WRITE_ONE(sub_)
    SINTER_WRITE_ONE(mul_)
    SINTER_WRITE_ONE(div_)
    SINTER_WRITE_ONE(bitwise_xor_)
    SINTER_DO(remainder_, m.t(0).remainder_(m.s(1)));
    SINTER_DO(clamp_, m.t(0).clamp_(m.s(1), m.s(2)));
    SINTER_DO(fill_diagonal_, m.t(0).fill_diagonal_(m.s(1)));
    SINTER_DO(copy_add_, m.with(2, [&](const auto& c) { m.t(0).copy_(m.t(1) + c); }));
    SINTER_DO(copy_mul_, m.with(2, [&](const auto& c) { m.t(0).copy_(m.t(1) * c); }));
    SINTER_DO(copy_mul_add_, m.with(2, [&](const auto& c) { m.t(0).copy_(m.t(1) * c + m.t(3)); }));
    SINTER_DO(copy_where_, m.t(0).copy_(where(m.t(1), m.t(2), m.t(3))));
    SINTER_DO(add_mul_, m.with(2, [&](const auto& c) { m.t(0).add_(m.t(1) * c); }));
    table["set_at_"] = set_at;
    table["set_slice_"] = set_slice;
    SINTER_DO(set_step_, m.t(0).index_put_({Ellipsis, Slice(None, None, m.n(1))}, m.s(2)));
    table["poke_"] = poke;
    SINTER_DO(masked_fill_, m.t(0).masked_fill_(m.t(1), m.s(2)));
    SINTER_DO(masked_scatter_, m.t(0).masked_scatter_(m.t(1), m.t(2)));
    SINTER_DO(index_fill_, m.t(0).index_fill_(m.n(1), m.t(2), m.s(3)));
    SINTER_DO(index_copy_, m.t(0).index_copy_(m.n(1), m.t(2), m.t(3)));
    SINTER_DO(index_add_, m.t(0).index_add_(m.n(1), m.t(2), m.t(3)));
    SINTER_DO(scatter_, m.t(0).scatter_(m.n(1), m.t(2), m.t(3)));
    SINTER_DO(scatter_add_, m.t(0).scatter_add_(m.n(1), m.t(2), m.t(3)));
    SINTER_DO(index_put_,
              m.with(2, [&](const auto& v) { m.t(0).index_put_({m.t(1)}, v, m.flag(3)); }));
}

#undef SINTER_WRITE
#undef SINTER_WRITE_ONE

void add_looks(statement_table& table) {
    SINTER_DO(print, m.print(digest(m.t(0))));
    SINTER_DO(peek, m.print(digest(m.t(0), true)));
    SINTER_DO(item, m.print(digest(full({}, m.t(0).item(), m.t(0).scalar_type()))));
    SINTER_DO(equal, m.print(equal(m.t(0), m.t(1)) ? "true" : "false"));
    SINTER_DO(eval, m.t(0).eval());
    SINTER_DO(eval_two, eval({m.t(0), m.t(1)}));
    SINTER_DO(expose, m.t(0).data_ptr());
    SINTER_DO(explain, explain(m.t(0)));
    SINTER_DO(show, std::ostringstream() << m.t(0));
    SINTER_DO(mode, m.switch_mode(m.word(0) == "eager" ? Mode::eager : Mode::lazy));
    SINTER_DO(drop, m.drop(0));
}

const statement_table& statements() {
    static const statement_table table = [] {
        statement_table t;
        add_new_values(t);
        add_views(t);
        add_moves(t);
        add_pointwise(t);
        add_reductions_and_orders(t);
        add_writes(t);
        add_looks(t);
        return t;
    }();
    return table;
}

}  // namespace

statement_function find_statement(const std::string& name) {
    const auto found = statements().find(name);
    return found == statements().end() ? nullptr : found->second;
}

std::vector<std::string> statement_names() {
    std::vector<std::string> names;
    for (const auto& [name, f] : statements()) names.push_back(name);
    return names;
}

}  // namespace sinter::golden
