#include "app/signals.hpp"

#include <csignal>
#include <ctime>

namespace sagabox::app {

namespace {

sigset_t watched()
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    return set;
}

Signals::What meaning(int signal)
{
    return signal == SIGHUP ? Signals::What::reload : Signals::What::stop;
}

} // namespace

Signals::Signals()
{
    const sigset_t set = watched();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
}

Signals::What Signals::wait()
{
    const sigset_t set = watched();
    int signal = 0;
    sigwait(&set, &signal);
    return meaning(signal);
}

Signals::What Signals::wait_for(std::chrono::milliseconds limit)
{
    const sigset_t set = watched();
    timespec time{};
    time.tv_sec = limit.count() / 1000;
    time.tv_nsec = (limit.count() % 1000) * 1'000'000;
    const int signal = sigtimedwait(&set, nullptr, &time);
    return signal < 0 ? What::nothing : meaning(signal);
}

void Signals::let_the_next_one_kill()
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

} // namespace sagabox::app
