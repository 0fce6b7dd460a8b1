#pragma once

namespace sagabox::app {

/// The demo's configuration, `app/demo.conf`; `PORT` stands for the port that it answers on.
extern const char* const demo_conf;

} // namespace sagabox::app
