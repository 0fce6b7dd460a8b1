#include "engine/surveyor.hpp"

#include <utility>

namespace sagabox::engine {

namespace {

constexpr std::chrono::seconds statement_deadline{10};

} // namespace

Surveyor::Surveyor(Executor executor, const Options& options, Watcher& watcher)
    : options_(options), watcher_(watcher),
      session_(std::move(executor), options.database, "survey")
{
}

Task<void> Surveyor::run()
{
    for (;;) {
        const Result<Survey> survey = co_await look();
        watcher_.surveyed(survey);
        const Instant again = std::chrono::steady_clock::now() + options_.survey_interval;
        co_await sleep_until(again);
    }
}

Task<Result<Survey>> Surveyor::look()
{
    pg::Connection* const connection = co_await session_.get();
    const Deadline deadline = Deadline::after(statement_deadline);
    Survey survey;
    Result<store::Overview> overview = co_await store::read_overview(*connection, deadline);
    if (!overview) {
        co_return fail(overview.error());
    }
    survey.overview = *std::move(overview);
    if (options_.mail) {
        Result<std::vector<store::MailCount>> mail =
            co_await store::count_mail(*connection, deadline);
        if (!mail) {
            co_return fail(mail.error());
        }
        survey.mail = *std::move(mail);
    }
    co_return survey;
}

} // namespace sagabox::engine
