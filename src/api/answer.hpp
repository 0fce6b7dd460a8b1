#pragma once

#include "base/fault.hpp"
#include "http/server.hpp"
#include "json/value.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sagabox::api {

[[nodiscard]] http::Response json_answer(int status, const json::Value& body);

/// What is wrong with one field of a body.
struct FieldFault {
    std::string field; ///< `note`, `to[0]`; empty: the body as a whole
    std::string text;
};

/// A problem document (RFC 9457). `detail` is a sentence that says what is wrong, and the cure.
[[nodiscard]] http::Response problem(int status, std::string_view detail,
                                     http::Headers headers = {});

/// 422, with one entry for each fault. `several` says what has them, where there is more than one.
[[nodiscard]] http::Response
faults_problem(const std::vector<FieldFault>& faults,
               std::string_view several = "The body has several faults.");

/// What a fault of the database becomes: 503 where it may pass, else 500. Nothing of its text
/// leaves, since it may quote SQL and values; the log has it.
[[nodiscard]] http::Response fault_answer(const Fault& fault);

/// What every answer carries: it is not to be kept, sniffed, framed or run.
void add_security_headers(http::Response& response);

} // namespace sagabox::api
