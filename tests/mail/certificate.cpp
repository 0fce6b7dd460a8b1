#include "tests/mail/certificate.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace sagabox::testing {

namespace {

// `openssl req` signs for times to come only, so this takes the detour by an authority.
constexpr std::string_view authority = R"([ca]
default_ca = self
[self]
database = index.txt
serial = serial
new_certs_dir = .
default_md = sha256
policy = any
x509_extensions = names
[any]
commonName = supplied
[names]
subjectAltName = )";

void write_file(const std::string& path, std::string_view text)
{
    std::ofstream(path) << text;
}

} // namespace

Certificate::Certificate(const std::string& names, Validity validity)
{
    std::string made = (std::filesystem::temp_directory_path() / "certificateXXXXXX").string();
    if (mkdtemp(made.data()) == nullptr) {
        throw std::runtime_error("no folder can be made for a certificate");
    }
    folder_ = made;
    write_file(folder_ + "/authority.cnf", std::string(authority) + names + "\n");
    write_file(folder_ + "/index.txt", "");
    write_file(folder_ + "/serial", "01\n");
    const std::string_view until =
        validity == Validity::now ? "20991231000000Z" : "20200102000000Z";
    const std::string make =
        "cd " + folder_ +
        " && openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "
        "/CN=stub"
        " -keyout key.pem -out request.pem 2> /dev/null"
        " && openssl ca -batch -selfsign -notext -config authority.cnf -keyfile key.pem"
        " -in request.pem -startdate 20200101000000Z -enddate " +
        std::string(until) + " -out cert.pem > /dev/null 2>&1";
    if (std::system(make.c_str()) != 0) {
        throw std::runtime_error("openssl made no certificate");
    }
}

Certificate::~Certificate()
{
    std::filesystem::remove_all(folder_);
}

nlohmann::json Certificate::settings(std::string_view tls) const
{
    return {{"tls", tls}, {"key", key_file()}, {"cert", file()}};
}

} // namespace sagabox::testing
