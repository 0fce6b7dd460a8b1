#include "transport/webhook_signature.hpp"

#include "base/base64.hpp"

#include <array>
#include <stdexcept>

#include <openssl/evp.h>
#include <openssl/hmac.h>

namespace sagabox::transport {

std::string webhook_signature(std::string_view key, std::string_view id, std::int64_t unix_seconds,
                              std::string_view body)
{
    std::string content(id);
    content += '.';
    content += std::to_string(unix_seconds);
    content += '.';
    content += body;
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned int size = 0;
    if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
             reinterpret_cast<const unsigned char*>(content.data()), content.size(), digest.data(),
             &size) == nullptr) {
        throw std::runtime_error("OpenSSL cannot make an HMAC with SHA-256");
    }
    std::string out = "v1,";
    append_base64(out, {reinterpret_cast<const char*>(digest.data()), size});
    return out;
}

} // namespace sagabox::transport
