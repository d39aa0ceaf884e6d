// Devices, generators, modes and counters.
#include "bound.hpp"

#include <sinter/cuda.hpp>
#include <sinter/info.hpp>
#include <sinter/threads.hpp>

#include <sstream>

namespace {

/// A guard of the library from __enter__ to __exit__. sinter/_functions.py makes one for each
/// entry.
template <class Guard, class A>
class context {
public:
    explicit context(A argument) : argument_(argument) {}
    context(const context&) = delete;
    context& operator=(const context&) = delete;
    void enter() { guard_.emplace(argument_); }
    void leave() { guard_.reset(); }

private:
    A argument_;
    std::optional<Guard> guard_;
};

template <class Guard, class A>
void add_context(nb::module_& module, const char* name) {
    using Context = context<Guard, A>;
    nb::class_<Context>(module, name)
        .def(nb::init<A>())
        .def("__enter__", &Context::enter)
        .def("__exit__", [](Context& self, const nb::args&) { self.leave(); });
}

using counter = std::pair<const char*, uint64_t stats_report::*>;
using amount = std::pair<const char*, int64_t stats_report::*>;
constexpr counter counters[] = {
    {"kernels_launched", &stats_report::kernels_launched},
    {"kernels_compiled", &stats_report::kernels_compiled},
    {"kernels_loaded", &stats_report::kernels_loaded},
    {"cache_hits", &stats_report::cache_hits},
    {"interpreted", &stats_report::interpreted},
    {"run_by_blocks", &stats_report::run_by_blocks},
    {"library_calls", &stats_report::library_calls},
    {"epilogues", &stats_report::epilogues},
    {"plans_built", &stats_report::plans_built},
    {"plans_replayed", &stats_report::plans_replayed},
    {"functions_replayed", &stats_report::functions_replayed},
    {"kernels_specialised", &stats_report::kernels_specialised},
    {"kernels_generalised", &stats_report::kernels_generalised},
    {"host_fallbacks", &stats_report::host_fallbacks},
    {"other_form_launches", &stats_report::other_form_launches},
    {"base_form_launches", &stats_report::base_form_launches},
    {"host_waits", &stats_report::host_waits},
    {"graph_launches", &stats_report::graph_launches},
    {"bytes_allocated", &stats_report::bytes_allocated},
    {"bytes_donated", &stats_report::bytes_donated},
};
constexpr amount amounts[] = {
    {"nodes_pending", &stats_report::nodes_pending},
    {"bytes_live", &stats_report::bytes_live},
    {"bytes_peak", &stats_report::bytes_peak},
};
static_assert(sizeof(stats_report) ==
                  8 * (std::size(counters) + std::size(amounts) + flush_reason_count),
              "a counter of stats_report is not listed above");

nb::dict stats_of(const stats_report& s) {
    nb::dict found;
    for (const auto& [name, member] : counters) found[name] = s.*member;
    for (const auto& [name, member] : amounts) found[name] = s.*member;
    nb::dict flushes;
    for (std::size_t i = 0; i < flush_reason_count; ++i)
        flushes[to_string(static_cast<flush_reason>(i))] = s.flushes[i];
    found["flushes"] = flushes;
    return found;
}

void set_print_options(std::optional<int64_t> precision, std::optional<int64_t> threshold,
                       std::optional<int64_t> edgeitems, std::optional<int64_t> linewidth,
                       const std::optional<std::string>& profile, std::optional<bool> sci_mode) {
    set_printoptions({.profile = profile ? profile->c_str() : nullptr,
                      .precision = precision,
                      .threshold = threshold,
                      .edgeitems = edgeitems,
                      .linewidth = linewidth,
                      .sci_mode = sci_mode});
}

}  // namespace

void add_devices(nb::module_& module) {
    nb::class_<Device>(module, "device",
                       "Where a tensor's memory is: \"cpu\", \"cuda\" or \"cuda:1\".")
        .def(nb::init<const std::string&>(), "name"_a)
        .def("__repr__", [](const Device& self) { return repr(self); })
        .def("__str__",
             [](const Device& self) {
                 std::ostringstream text;
                 text << self;
                 return text.str();
             })
        .def(
            "__eq__", [](const Device& a, const Device& b) { return a == b; }, nb::is_operator())
        .def("__hash__",
             [](const Device& self) { return static_cast<int>(self.type()) * 256 + self.index(); })
        .def_prop_ro("type",
                     [](const Device& self) {
                         return self.is_cpu() ? "cpu" : self.is_xla() ? "xla" : "cuda";
                     })
        .def_prop_ro("index", [](const Device& self) {
            return self.index() < 0 ? std::nullopt : std::optional<int>(self.index());
        });
    nb::enum_<MemoryFormat>(module, "memory_format")
        .value("contiguous_format", MemoryFormat::Contiguous)
        .value("preserve_format", MemoryFormat::Preserve)
        .value("channels_last", MemoryFormat::ChannelsLast)
        .value("channels_last_3d", MemoryFormat::ChannelsLast3d)
        .export_values();
    nb::class_<Generator>(module, "Generator", "A stream of random numbers.")
        .def("__init__",
             [](Generator* self) { new (self) Generator(make_generator<CPUGeneratorImpl>()); })
        .def(
            "manual_seed",
            [](Generator& self, uint64_t seed) -> Generator& {
                self.set_current_seed(seed);
                return self;
            },
            "seed"_a, nb::rv_policy::reference)
        .def("initial_seed", &Generator::current_seed)
        .def("get_state", &Generator::get_state)
        .def(
            "set_state", [](const Generator& self, const Tensor& state) { self.set_state(state); },
            "state"_a);
    nb::module_ cuda = module.def_submodule("cuda", "GPUs, of either vendor.");
    cuda.def("is_available", &cuda::is_available);
    cuda.def("device_count", &cuda::device_count);
    cuda.def("current_device", &cuda::current_device);
    cuda.def("set_device", &cuda::set_device, "device"_a);
    cuda.def(
        "synchronize", [](int64_t index) { unlocked([&] { cuda::synchronize(index); }); },
        "device"_a = -1);
}

void add_states(nb::module_& module) {
    module.def("manual_seed", &manual_seed, "seed"_a,
               "Seeds the default generators of all devices.");
    module.def("initial_seed", &initial_seed);
    module.def("get_rng_state", &get_rng_state);
    module.def("set_rng_state", [](const Tensor& state) { set_rng_state(state); }, "new_state"_a);
    module.def(
        "set_default_rng",
        [](const std::string& name) {
            if (name != "philox" && name != "mt19937")
                throw sinter::ValueError("[set_default_rng] there is no such algorithm; got \"" +
                                         name +
                                         "\", expected \"philox\" or \"mt19937\" (PyTorch's)");
            set_default_rng(name == "philox" ? Rng::philox : Rng::mt19937);
        },
        "name"_a,
        "Sets the algorithm of random numbers: \"philox\", or \"mt19937\", which is PyTorch's on "
        "the CPU.");
    module.def("get_default_dtype", [] { return get_default_dtype_as_scalartype(); });
    module.def("set_default_dtype", [](ScalarType type) { set_default_dtype(type); }, "dtype"_a);
    module.def(
        "can_cast", [](ScalarType from, ScalarType to) { return can_cast(from, to); }, "from_"_a,
        "to"_a);
    module.def("get_default_device", &get_default_device);
    module.def(
        "set_default_device",
        [](const device_name& device) { set_default_device(device.device()); }, "device"_a);
    module.def("set_printoptions", &set_print_options, "precision"_a = nb::none(),
               "threshold"_a = nb::none(), "edgeitems"_a = nb::none(), "linewidth"_a = nb::none(),
               "profile"_a = nb::none(), "sci_mode"_a = nb::none());
    module.def("promote_types", &promote_types, "type1"_a, "type2"_a);
    module.def("get_num_threads", &get_num_threads);
    module.def("set_num_threads", &set_num_threads, "threads"_a);
    module.def("info", &info,
               "Returns what the library finds on this machine, as `sinter info` prints it.");
    module.def(
        "stats", [] { return stats_of(stats()); },
        "Returns what was done since reset_stats(), as a dict of counters.");
    module.def("reset_stats", &reset_stats);
    module.def(
        "explain", [](const Tensor& t) { return explain(t); }, "tensor"_a,
        "Returns the plan that reading the tensor would run, with the reason for each cut. Runs "
        "nothing.");
    module.def(
        "dump_graph", [](const Tensor& t) { return dump_graph(t); }, "tensor"_a,
        "Returns the pending graph in Graphviz's language.");
    module.def(
        "eval",
        [](const nb::args& tensors) {
            std::vector<Tensor> all;
            for (const nb::handle t : tensors) all.push_back(nb::cast<Tensor>(t));
            unlocked([&] { eval(all); });
        },
        "tensors"_a, "Computes the tensors, in one plan. Reading a value does it by itself.");
    module.def("is_grad_enabled", &GradMode::is_enabled);
    module.def("_set_grad_enabled", &GradMode::set_enabled, "mode"_a);
    nb::enum_<Mode>(module, "Mode").value("lazy", Mode::lazy).value("eager", Mode::eager);
    module.def("set_mode", &set_mode, "mode"_a);
    module.def("get_mode", &get_mode);
    add_context<ModeGuard, Mode>(module, "_mode");
    add_context<AutoGradMode, bool>(module, "_grad_mode");
    add_context<InferenceMode, bool>(module, "_inference_mode");
    add_context<FastMathGuard, bool>(module, "_fast_math");
}
