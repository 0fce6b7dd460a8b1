import { defineConfig } from "vite";

export default defineConfig({
  base: "/",
  // Plain ASCII, so that the files can stand as literals in the program.
  esbuild: { jsx: "automatic", jsxImportSource: "preact", charset: "ascii", legalComments: "none" },
  build: {
    target: "es2022",
    outDir: "dist",
    assetsDir: "assets",
    // An inlined image would be markup from us, but a font or a script from data: is refused by the policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: {
    // Development only: `npm run dev` beside a running `sagabox demo`.
    proxy: { "/api": process.env.SAGABOX_URL ?? "http://127.0.0.1:9000" },
  },
});
