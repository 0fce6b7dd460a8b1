#pragma once

#include "json/path.hpp"
#include "json/value.hpp"

namespace sagabox::simulate {

/// Changes `document` so that the first node that `path` selects is `value`, and makes the objects
/// and arrays on the way. False, and nothing changed, where no such document can be made: a filter,
/// for example, says what a node must be, not what it is.
[[nodiscard]] bool place(json::Value& document, const json::Path& path, const json::Value& value);

/// Changes `document` so that `path` selects nothing. False, and nothing changed, where that can't
/// be done.
[[nodiscard]] bool remove(json::Value& document, const json::Path& path);

} // namespace sagabox::simulate
