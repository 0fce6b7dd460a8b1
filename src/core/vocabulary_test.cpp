#include "core/vocabulary.hpp"

#include <gtest/gtest.h>

namespace sagabox::core {
namespace {

TEST(Vocabulary, reads_back_every_label_that_it_writes)
{
    for (const auto status : {EventStatus::PENDING, EventStatus::PROCESSING, EventStatus::PROCESSED,
                              EventStatus::FAILED, EventStatus::CANCELLED}) {
        EXPECT_EQ(event_status(to_label(status)), status);
    }
    for (const auto status :
         {LetterStatus::PENDING, LetterStatus::PROCESSING, LetterStatus::PROCESSED,
          LetterStatus::FAILED, LetterStatus::RESOLVED}) {
        EXPECT_EQ(letter_status(to_label(status)), status);
    }
    for (const auto reason : {LetterReason::MAX_RETRIES_EXCEEDED, LetterReason::NON_RETRYABLE_ERROR,
                              LetterReason::POISONED}) {
        EXPECT_EQ(letter_reason(to_label(reason)), reason);
    }
    for (const auto one : {Outcome::succeeded, Outcome::rejected, Outcome::failed, Outcome::unknown,
                           Outcome::skipped}) {
        EXPECT_EQ(outcome(to_label(one)), one);
    }
}

TEST(Vocabulary, spells_labels_as_the_database_does)
{
    EXPECT_EQ(to_label(EventStatus::CANCELLED), "CANCELLED");
    EXPECT_EQ(to_label(LetterStatus::RESOLVED), "RESOLVED");
    EXPECT_EQ(to_label(LetterReason::POISONED), "POISONED");
    EXPECT_EQ(to_label(Outcome::skipped), "skipped");
}

TEST(Vocabulary, knows_no_other_label)
{
    EXPECT_EQ(event_status("pending"), std::nullopt);
    EXPECT_EQ(letter_status("CANCELLED"), std::nullopt);
    EXPECT_EQ(letter_reason(""), std::nullopt);
    EXPECT_EQ(outcome("SUCCEEDED"), std::nullopt);
}

} // namespace
} // namespace sagabox::core
