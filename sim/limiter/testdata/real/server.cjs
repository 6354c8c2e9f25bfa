// Serves one route behind each of the limiters that Node programs use: ten requests in two seconds, and everybody's
// budget. It takes the folder of their modules and an address to listen at.
'use strict'
const { createRequire } = require('node:module')
const http = require('node:http')
const path = require('node:path')
const { pathToFileURL } = require('node:url')

const [modules, address] = process.argv.slice(2)
const fromModules = createRequire(path.join(path.resolve(modules), 'x.js'))
const load = async name => {
  const m = await import(pathToFileURL(fromModules.resolve(name)))
  return m
}
const limit = 10
const windowMs = 2000
const key = () => 'everybody'
const body = 'passed'

async function main () {
  const routes = {}
  const express = (await load('express')).default
  const expressApp = (name, middleware) => {
    const app = express()
    app.get('/' + name, middleware, (_, res) => res.send(body))
    routes[name] = app
  }
  const { rateLimit } = await load('express-rate-limit')
  expressApp('express-rate-limit', rateLimit({ windowMs, limit, keyGenerator: key }))
  const { slowDown } = await load('express-slow-down')
  expressApp('express-slow-down', slowDown({ windowMs, delayAfter: limit, delayMs: hits => (hits - limit) * 20, keyGenerator: key }))
  const { RateLimiterMemory } = await load('rate-limiter-flexible')
  const flexible = new RateLimiterMemory({ points: limit, duration: windowMs / 1000 })
  expressApp('rate-limiter-flexible', (_, res, next) => flexible.consume(key()).then(() => next(), spent => {
    res.set('Retry-After', spent.msBeforeNext / 1000) // as its README has it
    res.status(429).send('Too Many Requests')
  }))

  const Fastify = (await load('fastify')).default
  const fastify = Fastify({ serverFactory: handler => { routes['fastify-rate-limit'] = handler; return http.createServer(handler) } })
  await fastify.register((await load('@fastify/rate-limit')).default, { max: limit, timeWindow: windowMs, keyGenerator: key })
  fastify.get('/fastify-rate-limit', async () => body)
  await fastify.ready()

  const Koa = (await load('koa')).default
  const koa = new Koa()
  koa.use((await load('koa-ratelimit')).default({ driver: 'memory', db: new Map(), duration: windowMs, max: limit, id: key }))
  koa.use(ctx => { ctx.body = body })
  routes['koa-ratelimit'] = koa.callback()

  const { Hono } = await load('hono')
  const { getRequestListener } = await load('@hono/node-server')
  const { rateLimiter } = await load('hono-rate-limiter')
  const hono = new Hono()
  hono.use(rateLimiter({ windowMs, limit, keyGenerator: key }))
  hono.get('/*', c => c.text(body))
  routes['hono-rate-limiter'] = getRequestListener(hono.fetch)

  const server = http.createServer((req, res) => {
    const route = routes[req.url.split(/[/?]/)[1]]
    if (route) return route(req, res)
    res.statusCode = 404
    res.end()
  })
  const colon = address.lastIndexOf(':')
  server.keepAliveTimeout = 60000
  server.listen(Number(address.slice(colon + 1)), address.slice(0, colon))
}

main().catch(err => { console.error(err); process.exit(1) })
