#include "base/base64.hpp"

#include <cstddef>
#include <cstdint>

namespace sagabox {

void append_base64(std::string& out, std::string_view bytes)
{
    static constexpr std::string_view alphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const auto byte = [&](std::size_t i) {
        return i < bytes.size() ? std::uint32_t{static_cast<unsigned char>(bytes[i])} : 0U;
    };
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::uint32_t three = byte(i) << 16U | byte(i + 1) << 8U | byte(i + 2);
        out += alphabet[three >> 18U];
        out += alphabet[three >> 12U & 63U];
        out += i + 1 < bytes.size() ? alphabet[three >> 6U & 63U] : '=';
        out += i + 2 < bytes.size() ? alphabet[three & 63U] : '=';
    }
}

} // namespace sagabox
