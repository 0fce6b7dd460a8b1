#pragma once

#include "config/declarations.hpp"

namespace sagabox::config {

/// The section `email` and those within it, outer ones first.
extern const Section email_section;
extern const Section email_provider_section;
extern const Section email_smtp_section;
extern const Section email_http_section;
extern const Section email_classify_section;
extern const Section email_backoff_section;
extern const Section email_breaker_section;

} // namespace sagabox::config
