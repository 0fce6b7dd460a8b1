#pragma once

namespace sagabox::api {

/// docs/openapi.json, embedded at build.
extern const char* const openapi_document;

} // namespace sagabox::api
