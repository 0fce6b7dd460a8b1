#pragma once

#include "core/plan.hpp"
#include "simulate/finding_list.hpp"
#include "simulate/story.hpp"

#include <cstddef>
#include <string>

namespace sagabox::simulate {

/// Adds what one story shows: effects that nothing undoes, calls and undos that can't be built.
void judge_story(const core::Plan& plan, const Story& story, const std::string& given,
                 std::size_t unusual, FindingList& found);

} // namespace sagabox::simulate
