asked<<<100, n>>>(in, out, n);
