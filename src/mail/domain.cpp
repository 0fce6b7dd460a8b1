#include "mail/domain.hpp"

#include "mail/text.hpp"

#include <fmt/format.h>
#include <idn2.h>

namespace sagabox::mail {

Result<std::string> to_ascii_domain(std::string_view domain)
{
    if (is_ascii(domain)) {
        return std::string(domain);
    }
    char* found = nullptr;
    const int code = idn2_to_ascii_8z(std::string(domain).c_str(), &found,
                                      IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);
    if (code != IDN2_OK) {
        return fail(Fault::Kind::bad_input,
                    fmt::format("the domain is no name: {}: {}", idn2_strerror(code), domain));
    }
    std::string ascii = found;
    idn2_free(found);
    return ascii;
}

} // namespace sagabox::mail
