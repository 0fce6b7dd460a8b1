#include "api/reload_route.hpp"

#include "api/answer.hpp"
#include "api/parameters.hpp"

#include <utility>

namespace sagabox::api {

namespace {

http::Response answer_of(const Reloaded& reloaded)
{
    if (reloaded.file.empty()) {
        return problem(409, "This program was started without a configuration file, so there is "
                            "none to read anew.");
    }
    if (!reloaded.problems.empty()) {
        std::vector<FieldFault> faults;
        for (const std::string& text : reloaded.problems) {
            faults.push_back({"", text});
        }
        return faults_problem(faults, "The file has problems; what was in force stays in force.");
    }
    json::Object form;
    form.set("file", reloaded.file);
    return json_answer(200, form);
}

} // namespace

void add_reload_route(Router& router, std::function<Reloaded()> reload)
{
    router.add({"POST", "/api/reload", {}, [reload = std::move(reload)](const Call& call) {
                    const Body body(call.request);
                    if (auto wrong = body.problem()) {
                        return *std::move(wrong);
                    }
                    return answer_of(reload ? reload() : Reloaded{});
                }});
}

} // namespace sagabox::api
