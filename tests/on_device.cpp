// With SINTER_TEST_DEVICE=cuda:0 factories put these tests' tensors on a GPU. With
// SINTER_TEST_GPU_FORMS=base, its kernels run in their base form; with none, by the CPU.
#include "jit/launch/gpu/launch.hpp"

#include <sinter/device.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <string>

namespace {

/// Runs before the first test, and after all static initialisation.
struct placing : doctest::IReporter {
    explicit placing(const doctest::ContextOptions&) {}
    void test_run_start() override {
        if (const char* device = std::getenv("SINTER_TEST_DEVICE"))
            sinter::set_default_device(std::string(device));
        if (const char* forms = std::getenv("SINTER_TEST_GPU_FORMS"))
            sinter::runtime::limit_gpu_forms(std::string(forms) == "base"
                                                 ? sinter::runtime::gpu_forms::base
                                                 : sinter::runtime::gpu_forms::none);
    }
    void report_query(const doctest::QueryData&) override {}
    void test_run_end(const doctest::TestRunStats&) override {}
    void test_case_start(const doctest::TestCaseData&) override {}
    void test_case_reenter(const doctest::TestCaseData&) override {}
    void test_case_end(const doctest::CurrentTestCaseStats&) override {}
    void test_case_exception(const doctest::TestCaseException&) override {}
    void subcase_start(const doctest::SubcaseSignature&) override {}
    void subcase_end() override {}
    void log_assert(const doctest::AssertData&) override {}
    void log_message(const doctest::MessageData&) override {}
    void test_case_skipped(const doctest::TestCaseData&) override {}
};
DOCTEST_REGISTER_LISTENER("placing", 1, placing);

}  // namespace
