// What a bare libcurl client does against the sink: one thread, the multi interface, kept connections.
// usage: http_client URL_PREFIX CONNECTIONS SECONDS     -> calls per second
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const char body[] = "{\"id\":12345,\"kind\":\"order.created\",\"amount\":4200,\"currency\":\"EUR\",\"customer\":\"c-991\"}";

static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec / 1e9; }
static size_t drop(char *data, size_t size, size_t count, void *to) { (void)data; (void)to; return size * count; }

int main(int argc, char **argv) {
  if (argc != 4) { fprintf(stderr, "usage: http_client URL_PREFIX CONNECTIONS SECONDS\n"); return 2; }
  const int connections = atoi(argv[2]);
  CURLM *multi = curl_multi_init();
  struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/json");
  headers = curl_slist_append(headers, "Expect:");
  unsigned long next = 0, done = 0;
  char url[256];
  for (int i = 0; i < connections; i++) {
    CURL *easy = curl_easy_init();
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, drop);
    snprintf(url, sizeof url, "%s/%lu/0", argv[1], next++ % 1000000);
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_multi_add_handle(multi, easy);
  }
  const double start = now(), end = start + atof(argv[3]);
  while (now() < end) {
    int running, left;
    curl_multi_perform(multi, &running);
    for (CURLMsg *m; (m = curl_multi_info_read(multi, &left));) {
      if (m->msg != CURLMSG_DONE) continue;
      if (m->data.result != CURLE_OK) { fprintf(stderr, "%s\n", curl_easy_strerror(m->data.result)); return 1; }
      done++;
      CURL *easy = m->easy_handle;
      curl_multi_remove_handle(multi, easy);
      snprintf(url, sizeof url, "%s/%lu/0", argv[1], next++ % 1000000);
      curl_easy_setopt(easy, CURLOPT_URL, url);
      curl_multi_add_handle(multi, easy);
    }
    curl_multi_poll(multi, NULL, 0, 10, NULL);
  }
  printf("%.0f\n", done / (now() - start));
  return 0;
}
