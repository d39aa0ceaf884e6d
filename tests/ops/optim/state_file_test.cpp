// Options and states of optimisers in files.
#include "tests/ops/check.hpp"

#include <sinter/optim.hpp>

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <memory>

using namespace sinter;
using optim::AdamOptions;
using optim::AdamWOptions;
using optim::LBFGSOptions;
using optim::OptimizerParamGroup;
using optim::SGDOptions;
using test::check;
using test::elements;

namespace {

struct file {
    std::string path;
    file() : path((std::filesystem::temp_directory_path() / "sinter_optim_XXXXXX").string()) {
        REQUIRE(mkdtemp(path.data()) != nullptr);
    }
    ~file() { std::filesystem::remove_all(path); }
    file(const file&) = delete;
    std::string name() const { return path + "/state.npz"; }
};

std::vector<Tensor> start(ScalarType dtype = kDouble) {
    return {(arange(6, dtype).view({2, 3}) / 4).clone().requires_grad_(),
            (arange(3, dtype) - 1).clone().requires_grad_()};
}

Tensor loss_of(const std::vector<Tensor>& p) {
    return (p[0] * p[1] - 1).square().sum() + p[1].exp().sum();
}

void run(optim::Optimizer& o, const std::vector<Tensor>& p, int steps) {
    for (int i = 0; i < steps; ++i)
        o.step([&] {
            o.zero_grad();
            Tensor loss = loss_of(p);
            loss.backward();
            return loss;
        });
}

/// Saves after three steps; a new optimiser that loads this goes on to the same bits.
template <class Optimizer, class Options>
void check_resumed(const Options& options, const Options& other) {
    const file f;
    const std::vector<Tensor> p = start();
    Optimizer first(p, options);
    run(first, p, 3);
    first.save(f.name());
    const std::vector<Tensor> q = {p[0].detach().clone().requires_grad_(),
                                   p[1].detach().clone().requires_grad_()};
    run(first, p, 4);

    Optimizer second(q, other);
    second.load(f.name());
    run(second, q, 4);
    for (int i = 0; i < 2; ++i) check<double>(q[i], p[i].sizes(), elements<double>(p[i]));
}

const std::string remedy = "; try the parameters with which it was saved";

}  // namespace

TEST_CASE("optimizers go on from a file as if they had never stopped") {
    check_resumed<optim::SGD>(SGDOptions(0.01).momentum(0.5).dampening(0.25).weight_decay(0.125),
                              SGDOptions(1));
    check_resumed<optim::SGD>(SGDOptions(0.01).momentum(0.5).nesterov(true), SGDOptions(1));
    check_resumed<optim::Adam>(AdamOptions(0.1).betas({0.5, 0.75}).eps(1e-3).amsgrad(true),
                               AdamOptions());
    check_resumed<optim::AdamW>(AdamWOptions(0.1).weight_decay(0.5), AdamWOptions());
    check_resumed<optim::LBFGS>(LBFGSOptions(0.01).max_iter(3).history_size(4), LBFGSOptions());
    check_resumed<optim::LBFGS>(LBFGSOptions().max_iter(2).line_search_fn("strong_wolfe"),
                                LBFGSOptions(0.5));
}

TEST_CASE("optimizers load options of each group, and forget what was set before") {
    const file f;
    const std::vector<Tensor> p = start(), q = start();
    std::vector<OptimizerParamGroup> groups;
    groups.emplace_back(std::vector<Tensor>{p[0]});
    groups.emplace_back(std::vector<Tensor>{p[1]}, std::make_unique<SGDOptions>(0.5));
    optim::SGD first(groups, SGDOptions(0.25).momentum(0.5));
    p[1].sum().backward();  // p[0] has no state
    first.step();
    first.save(f.name());

    groups.clear();
    groups.emplace_back(std::vector<Tensor>{q[0]});
    groups.emplace_back(std::vector<Tensor>{q[1]});
    optim::SGD second(groups, SGDOptions(1).momentum(0.25).weight_decay(0.5));
    q[0].sum().backward();
    second.step();
    CHECK(second.state().count(q[0].unsafeGetTensorImpl()) == 1);
    second.load(f.name());
    const auto options = [&](int i) -> SGDOptions& {
        return static_cast<SGDOptions&>(second.param_groups()[i].options());
    };
    CHECK(options(0).lr() == 0.25);
    CHECK(options(1).lr() == 0.5);
    CHECK(options(1).momentum() == 0.5);
    CHECK(options(1).weight_decay() == 0);
    CHECK(second.state().size() == 1);
    auto& state =
        static_cast<optim::SGDParamState&>(*second.state().at(q[1].unsafeGetTensorImpl()));
    check<double>(state.momentum_buffer(), {3}, {1, 1, 1});
}

TEST_CASE("optimizers load states in the dtype of their parameters") {
    const file f;
    const std::vector<Tensor> p = start(), q = start(kFloat);
    optim::Adam first(p, 0.1), second(q, 0.1);
    run(first, p, 2);
    first.save(f.name());
    second.load(f.name());
    auto& state =
        static_cast<optim::AdamParamState&>(*second.state().at(q[0].unsafeGetTensorImpl()));
    CHECK(state.step() == 2);
    CHECK((state.exp_avg().scalar_type() == kFloat));
    CHECK(state.exp_avg().sizes() == IntArrayRef({2, 3}));
    CHECK(!state.max_exp_avg_sq().defined());
    run(second, q, 1);
}

TEST_CASE("optimizers refuse files that are not theirs, and change nothing") {
    const file f;
    const std::vector<Tensor> p = start();
    optim::Adam saved(p, AdamOptions(0.5));
    run(saved, p, 1);
    saved.save(f.name());

    optim::AdamW other(p);
    CHECK_ERROR(
        Error, other.load(f.name()),
        "[load] the file is not of this optimizer; got options and states of Adam, expected "
        "those of AdamW; try load() of an optimizer of that class");
    CHECK(static_cast<AdamWOptions&>(other.param_groups()[0].options()).lr() == 1e-3);

    const std::vector<Tensor> swapped = {p[1], p[0]};
    optim::Adam adam(swapped);
    run(adam, p, 1);
    const auto values = [&] {
        auto& state =
            static_cast<optim::AdamParamState&>(*adam.state().at(p[0].unsafeGetTensorImpl()));
        return elements<double>(state.exp_avg());
    };
    const std::vector<double> before = values();
    CHECK_ERROR(Error, adam.load(f.name()),
                "[load] the shape of a state does not match its parameter; got "
                "Adam.state0.exp_avg of shape [2, 3], expected shape [3]" +
                    remedy);
    CHECK(static_cast<AdamOptions&>(adam.param_groups()[0].options()).lr() == 1e-3);
    CHECK(values() == before);

    optim::Adam fewer({p[0]});
    CHECK_ERROR(
        Error, fewer.load(f.name()),
        "[load] loaded state dict contains a parameter group that doesn't match the size of "
        "optimizer's group; got 2 parameters in group 0, expected 1" +
            remedy);
    std::vector<OptimizerParamGroup> groups;
    groups.emplace_back(std::vector<Tensor>{p[0]});
    groups.emplace_back(std::vector<Tensor>{p[1]});
    optim::Adam more(groups);
    CHECK_ERROR(Error, more.load(f.name()),
                "[load] loaded state dict has a different number of parameter groups; got 1, "
                "expected 2; try the groups with which it was saved");
    CHECK_THROWS_AS(more.load(f.path + "/none.npz"), Error);

    // Arrays of something else, and one that is missing.
    save_npz(f.name(), {{"weights", ones({2})}});
    CHECK_ERROR(
        Error, adam.load(f.name()),
        "[load] the file is not of this optimizer; got arrays of other names, expected those "
        "of Adam; try load() of an optimizer of that class");
    saved.save(f.name());
    auto all = load_npz(f.name());
    all["Adam.group0.betas"] = ones({3}, kDouble);
    save_npz(f.name(), all);
    CHECK_ERROR(Error, adam.load(f.name()),
                "[load] the shape of an array is not what save() writes; got Adam.group0.betas of "
                "shape [3], expected shape [2]; try a file that save() wrote");
    all.erase("Adam.group0.betas");
    save_npz(f.name(), all);
    CHECK_ERROR(Error, adam.load(f.name()),
                "[load] the file lacks an array; got " + f.name() +
                    ", expected Adam.group0.betas; try a file that save() wrote");
    all["Adam.group0.betas"] = tensor({0.5, 2.0}, kDouble);
    save_npz(f.name(), all);
    CHECK_ERROR(Error, adam.load(f.name()),
                "[Adam] Invalid beta parameter at index 1; got 2, expected a number from 0 on that "
                "is less than 1; try {0.9, 0.999}, the default");
    CHECK(values() == before);
    CHECK_THROWS_AS(saved.save(f.path + "/none/state.npz"), Error);
}
