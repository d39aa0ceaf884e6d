// Compositions of reductions and scans, and functions about the order of elements.
#include "tests/golden/table.hpp"

namespace sinter::golden {
namespace {

void add_compositions(function_table& table) {
    SINTER_CALL(count_nonzero,
                a.is_none(1) ? count_nonzero(a.t(0)) : count_nonzero(a.t(0), a.list(1)));
    SINTER_CALL(aminmax, aminmax(a.t(0), a.on(1), a.flag(2)));
    SINTER_CALL(var_mean, var_mean(a.t(0), a.list(1), a.flag(2), a.flag(3)));
    SINTER_CALL(std_mean, std_mean(a.t(0), a.list(1), a.flag(2), a.flag(3)));
    SINTER_CALL(nansum, a.is_none(1) ? nansum(a.t(0), a.dtype(3))
                                     : nansum(a.t(0), a.list(1), a.flag(2), a.dtype(3)));
    SINTER_CALL(nanmean, a.is_none(1) ? nanmean(a.t(0), a.dtype(3))
                                      : nanmean(a.t(0), a.list(1), a.flag(2), a.dtype(3)));
    SINTER_CALL(any_in, any(a.t(0), a.list(1), a.flag(2)));
    SINTER_CALL(all_in, all(a.t(0), a.list(1), a.flag(2)));
    SINTER_CALL(logsumexp, logsumexp(a.t(0), a.list(1), a.flag(2)));
    SINTER_CALL(softmax, softmax(a.t(0), a.n(1), a.dtype(2)));
    SINTER_CALL(log_softmax, log_softmax(a.t(0), a.n(1), a.dtype(2)));
    SINTER_CALL(norm, a.is_none(2) ? norm(a.t(0), a.is_none(1) ? Scalar(2) : a.s(1))
                                   : norm(a.t(0), a.os(1), a.list(2), a.flag(3)));
    SINTER_CALL(dist, dist(a.t(0), a.t(1), a.s(2)));
    SINTER_CALL(cdist, cdist(a.t(0), a.t(1), a.s(2).toDouble()));
    SINTER_CALL(renorm, renorm(a.t(0), a.s(1), a.n(2), a.s(3)));
    SINTER_CALL(cov, cov(a.t(0), a.n(1), optional_tensor(a, 2), optional_tensor(a, 3)));
    SINTER_CALL(corrcoef, corrcoef(a.t(0)));
    SINTER_CALL(diff, diff(a.t(0), a.n(1), a.n(2), optional_tensor(a, 3), optional_tensor(a, 4)));
    SINTER_CALL(trapezoid, a.is_tensor(1) ? trapezoid(a.t(0), a.t(1), a.n(2))
                                          : trapezoid(a.t(0), a.s(1), a.n(2)));
    SINTER_CALL(cumulative_trapezoid, a.is_tensor(1)
                                          ? cumulative_trapezoid(a.t(0), a.t(1), a.n(2))
                                          : cumulative_trapezoid(a.t(0), a.s(1), a.n(2)));
    SINTER_CALL(gradient, gradient(a.t(0), a.s(1), OptionalIntArrayRef(a.list(2)), a.n(3)));
    table["gradient_spaced"].call = [](const arguments& a) {  // numbers, or coordinates
        const std::vector<int64_t> dims = a.list(2);
        const OptionalIntArrayRef in =
            a.is_none(2) ? OptionalIntArrayRef() : OptionalIntArrayRef(dims);
        if (const std::vector<Tensor> points = a.tensors(1); points[0].defined())
            return give(gradient(a.t(0), TensorList(points), in, a.n(3)));
        const std::vector<Scalar> distances = a.scalars(1);
        return give(gradient(a.t(0), ArrayRef<Scalar>(distances), in, a.n(3)));
    };
    SINTER_CALL(trapz, a.is_tensor(1) ? trapz(a.t(0), a.t(1), a.n(2))
                                      : trapz(a.t(0), a.s(1).toDouble(), a.n(2)));
    SINTER_CALL(norm_as, a.is_none(2) ? norm(a.t(0), a.os(1), *a.dtype(4))
                                      : norm(a.t(0), a.os(1), a.list(2), a.flag(3), *a.dtype(4)));
    SINTER_CALL(isclose, isclose(a.t(0), a.t(1), a.s(2).toDouble(), a.s(3).toDouble(), a.flag(4)));
    SINTER_CALL(max_of_two, max(a.t(0), a.t(1)));
    SINTER_CALL(min_of_two, min(a.t(0), a.t(1)));
}

void add_sorting(function_table& table) {
    SINTER_CALL(sort, sort(a.t(0), optional<bool>(true), a.n(1), a.flag(2)));
    SINTER_CALL(argsort, argsort(a.t(0), true, a.n(1), a.flag(2)));
    SINTER_CALL(msort, msort(a.t(0)));
    SINTER_CALL(topk, topk(a.t(0), a.n(1), a.n(2), a.flag(3)));
    SINTER_CALL(kthvalue, kthvalue(a.t(0), a.n(1), a.n(2), a.flag(3)));
    table["median"].call = [](const arguments& a) {
        return a.is_none(1) ? give(median(a.t(0))) : give(median(a.t(0), a.n(1), a.flag(2)));
    };
    table["nanmedian"].call = [](const arguments& a) {
        return a.is_none(1) ? give(nanmedian(a.t(0))) : give(nanmedian(a.t(0), a.n(1), a.flag(2)));
    };
    SINTER_CALL(mode, mode(a.t(0), a.n(1), a.flag(2)));
    SINTER_CALL(quantile, a.is_tensor(1)
                              ? quantile(a.t(0), a.t(1), a.on(2), a.flag(3), a.text(4))
                              : quantile(a.t(0), a.s(1).toDouble(), a.on(2), a.flag(3), a.text(4)));
    SINTER_CALL(nanquantile,
                a.is_tensor(1)
                    ? nanquantile(a.t(0), a.t(1), a.on(2), a.flag(3), a.text(4))
                    : nanquantile(a.t(0), a.s(1).toDouble(), a.on(2), a.flag(3), a.text(4)));
    SINTER_CALL(unique, unique(a.t(0), true, true, true));
    SINTER_CALL(unique_dim, unique_dim(a.t(0), a.n(1), true, true, true));
    SINTER_CALL(unique_consecutive, unique_consecutive(a.t(0), true, true, a.on(1)));
    SINTER_CALL(isin, !a.is_tensor(0)   ? isin(a.s(0), a.t(1), false, a.flag(2))
                      : !a.is_tensor(1) ? isin(a.t(0), a.s(1), false, a.flag(2))
                                        : isin(a.t(0), a.t(1), false, a.flag(2)));
    SINTER_CALL(bincount, bincount(a.t(0), optional_tensor(a, 1), a.n(2)));
    SINTER_CALL(histc, histc(a.t(0), a.n(1), a.s(2), a.s(3)));
    table["histogram"].call = [](const arguments& a) {
        return a.is_tensor(1)
                   ? give(histogram(a.t(0), a.t(1), optional_tensor(a, 2), a.flag(3)))
                   : give(histogram(a.t(0), a.n(1), nullopt, optional_tensor(a, 2), a.flag(3)));
    };
    SINTER_CALL(searchsorted, a.is_tensor(1) ? searchsorted(a.t(0), a.t(1), a.flag(2), a.flag(3))
                                             : searchsorted(a.t(0), a.s(1), a.flag(2), a.flag(3)));
    SINTER_CALL(searchsorted_by, searchsorted(a.t(0), a.t(1), false, a.flag(2),
                                              a.is_none(3) ? optional<std::string>()
                                                           : optional<std::string>(a.text(3)),
                                              optional_tensor(a, 4)));
    table["histogram_between"].call = [](const arguments& a) {
        std::vector<double> ends;
        for (const Scalar& s : a.scalars(2)) ends.push_back(s.toDouble());
        return give(
            histogram(a.t(0), a.n(1), ArrayRef<double>(ends), optional_tensor(a, 3), a.flag(4)));
    };
    SINTER_CALL(bucketize, a.is_tensor(0) ? bucketize(a.t(0), a.t(1), a.flag(2), a.flag(3))
                                          : bucketize(a.s(0), a.t(1), a.flag(2), a.flag(3)));
}

}  // namespace

void add_ordering(function_table& table) {
    add_compositions(table);
    add_sorting(table);
    SINTER_CALL(cumsum, cumsum(a.t(0), a.n(1), a.dtype(2)));
    SINTER_CALL(cumprod, cumprod(a.t(0), a.n(1), a.dtype(2)));
    SINTER_CALL(cummax, cummax(a.t(0), a.n(1)));
    SINTER_CALL(cummin, cummin(a.t(0), a.n(1)));
    SINTER_CALL(logcumsumexp, logcumsumexp(a.t(0), a.n(1)));
}

}  // namespace sinter::golden
