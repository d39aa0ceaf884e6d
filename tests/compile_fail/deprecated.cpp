// SINTER_DEPRECATED warns where a name is used, says what to write instead, and is silent where the
// name is declared.
#include <sinter/config.hpp>

SINTER_DEPRECATED("use twice") SINTER_API int doubled(int x);
SINTER_API SINTER_DEPRECATED("use thrice") int tripled(int x);
SINTER_API int twice(int x);
SINTER_API int thrice(int x);

class SINTER_DEPRECATED("use new_type") SINTER_API old_type{};
class SINTER_API new_type {
public:
    SINTER_DEPRECATED("use size") int length() const;
    int size() const;
};

int use(const new_type& t) {
#ifdef GOOD
    const new_type other;
    return twice(1) + thrice(2) + t.size() + other.size();
#else
    // warning: doubled.* is deprecated: use twice
    int n = doubled(1);
    // warning: tripled.* is deprecated: use thrice
    n += tripled(2);
    // warning: length.* is deprecated: use size
    n += t.length();
    // warning: old_type.* is deprecated: use new_type
    const old_type* other = nullptr;
    return other ? 0 : n;
#endif
}
