// The parts of complex tensors, and their construction.
#include "tests/golden/table.hpp"

namespace sinter::golden {

void add_complex(function_table& table) {
    SINTER_CALL(real, real(a.t(0)));
    SINTER_CALL(imag, imag(a.t(0)));
    SINTER_CALL(view_as_real, view_as_real(a.t(0)));
    SINTER_CALL(view_as_complex, view_as_complex(a.t(0)));
    SINTER_CALL(conj, conj(a.t(0)));
    SINTER_CALL(conj_physical, conj_physical(a.t(0)));
    SINTER_CALL(conj_physical_, a.t(0).conj_physical_());
    SINTER_CALL(resolve_conj, resolve_conj(a.t(0)));
    SINTER_CALL(mH, a.t(0).mH());
    SINTER_CALL(H, a.t(0).H());
    SINTER_CALL(complex, sinter::complex(a.t(0), a.t(1)));
    SINTER_CALL(polar, polar(a.t(0), a.t(1)));
}

}  // namespace sinter::golden
