#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace sagabox::testing {

/// A certificate that nobody but itself vouches for, and its key, in a folder of its own.
class Certificate {
public:
    enum class Validity : std::uint8_t { now, expired };

    /// `names` as openssl's subjectAltName.
    explicit Certificate(const std::string& names = "IP:127.0.0.1",
                         Validity validity = Validity::now);
    ~Certificate();
    Certificate(const Certificate&) = delete;
    Certificate& operator=(const Certificate&) = delete;

    [[nodiscard]] std::string file() const { return folder_ + "/cert.pem"; }
    [[nodiscard]] std::string key_file() const { return folder_ + "/key.pem"; }

    /// Settings of an `SmtpServer` that shows it; `tls` is `starttls` or `implicit`.
    [[nodiscard]] nlohmann::json settings(std::string_view tls) const;

private:
    std::string folder_;
};

} // namespace sagabox::testing
