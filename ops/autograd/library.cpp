// Functions that use such an operation have rules of their own (function.hpp), and do not record
// what they are made of. What is recorded here has none.
#include "ops/autograd/library.hpp"

#include "ops/autograd/names.hpp"

namespace sinter::inline v1::autograd {
namespace {

class no_gradient final : public recorded_gradient {
public:
    no_gradient(const kernel_op& op, std::span<const leaf> inputs) : name_(op.name) {
        for (const leaf& l : inputs)
            if (l.gradient) next_edges_.push_back({l.gradient, l.result});
    }
    std::string name() const override { return "NotImplemented"; }
    void set_result(const leaf&) override {}
    variable_list apply(variable_list&&) override { refuse_missing(name_); }

private:
    const char* name_;
};

}  // namespace

intrusive_ptr<recorded_gradient> make_library_gradient(const kernel_op& op,
                                                       std::span<const leaf> inputs,
                                                       const attributes_ptr&) {
    return make_intrusive<no_gradient>(op, inputs);
}

}  // namespace sinter::inline v1::autograd
