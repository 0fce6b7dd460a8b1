#include "pg/sqlstate.hpp"

namespace sagabox::pg {

Fault::Kind kind_of_sqlstate(std::string_view code)
{
    const std::string_view group = code.substr(0, 2);

    // A pooler gave us another server session, which does not know our prepared statements, or
    // knows somebody else's. What this session was told before is lost as well.
    if (code == "26000" || code == "42P05") {
        return Fault::Kind::connection;
    }
    if (code == "57014") { // statement_timeout, or a cancel by an administrator
        return Fault::Kind::timeout;
    }
    if (code == "25006") {
        return Fault::Kind::read_only;
    }
    if (code == "40001" || code == "40P01" || code == "55P03") {
        return Fault::Kind::conflict;
    }
    // 08 connection, 53 no resources (disk, memory, sessions), 57P shutdown and start-up, 58 the
    // server's own system fails. None of them says anything about the statement.
    if (group == "08" || group == "53" || group == "58" || code.starts_with("57P")) {
        return Fault::Kind::connection;
    }
    return Fault::Kind::refused;
}

} // namespace sagabox::pg
