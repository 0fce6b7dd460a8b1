#pragma once

#include "store/mail_views.hpp"
#include "store/overview.hpp"

#include <vector>

namespace sagabox::engine {

/// How the outbox fares, as the database tells: what no relay can know from its own work.
struct Survey {
    store::Overview overview;
    std::vector<store::MailCount> mail; ///< by status; empty where no e-mail is configured
};

} // namespace sagabox::engine
